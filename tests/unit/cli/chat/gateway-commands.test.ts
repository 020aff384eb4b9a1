import { describe, expect, it } from 'vitest';
import { gatewayCommands } from '../../../../src/cli/chat/gateway-commands.js';
import { beginChat, type ChatState, type Step } from '../../../../src/cli/chat/state/chat-state.js';
import { complete, parseInput } from '../../../../src/cli/chat/state/commands.js';
import { newTurn } from '../../../../src/cli/chat/state/show-agent.js';
import { step } from '../../../../src/cli/chat/state/step.js';
import { textOf } from '../../../../src/cli/chat/text/styled-line.js';

const begun = beginChat({
  ...{ columns: 80, rows: 24, movesCursor: true, backends: ['demo'] },
  ...{ status: { backend: 'demo', cwd: '/project' }, commands: gatewayCommands },
});

function enter(text: string, state: ChatState = begun): Step {
  const typed = step(state, { type: 'key', key: { type: 'text', text } }, 0).state;
  return step(typed, { type: 'key', key: { type: 'key', name: 'enter' } }, 0);
}

describe('the commands of a chat in a channel (18.1)', () => {
  it('are those of the gateway, and help lists them without what is refused', () => {
    const { print } = enter('/help');
    const help = print.map(textOf).join('\n');
    for (const name of ['allow', 'deny', 'status', 'stop', 'queue', 'retry', 'usage', 'backend', 'quit'])
      expect(help).toContain(`/${name}`);
    expect(help).not.toMatch(/\/(permissions|sessions)/);
    expect(enter('/sessions').effects).toContainEqual({ type: 'sessions' });
  });

  it('a misspelt one is asked about; Tab completes them', () => {
    expect(parseInput('/alow', gatewayCommands)).toMatchObject({ type: 'unknown', meant: 'allow' });
    expect(complete('/al', [], gatewayCommands)?.text).toBe('/allow ');
    expect(complete('/queue in', [], gatewayCommands)?.text).toBe('/queue interrupt ');
    expect(complete('/perm', [], gatewayCommands)).toBeUndefined();
  });

  it('are handed on, those that look at the queue while a turn runs, too', () => {
    const running = { ...begun, turn: newTurn(0) };
    expect(enter('/status', running).effects).toContainEqual({ type: 'hand_on', text: '/status' });
    expect(enter('/allow 3f2a always', running).effects).toContainEqual({
      type: 'hand_on',
      text: '/allow 3f2a always',
    });
    expect(enter('/retry').effects).toContainEqual({ type: 'hand_on', text: '/retry' });
    expect(enter('/usage', running).effects).not.toContainEqual({ type: 'hand_on', text: '/usage' });
    expect(enter('/status', running).state.steering).toEqual([]);
  });
});
