import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type GatewayStage, setUpGateway } from '../stage.js';
import { abandonTurn } from './abandoned-turn.js';
import { claudeLines, deepInput } from './claude-lines.js';
import { storedTurns } from './stored-turns.js';

const replay = fileURLToPath(new URL('../../fixtures/programs/replay.sh', import.meta.url));

/** Settings with which every turn is answered by an agent that prints this. */
function agentThatPrints(stage: GatewayStage, output: string): Record<string, string> {
  const file = join(stage.root, 'output');
  writeFileSync(file, output);
  return {
    BACKEND_CLI_PATH: replay,
    REPLAY_STDOUT: file,
    REPLAY_STDERR: '/dev/null',
    REPLAY_SIGNAL: '',
    REPLAY_EXIT: '0',
  };
}

describe('a tool input that JSON.parse takes and JSON.stringify does not', () => {
  const { init, tool, toolResult, answer } = claudeLines;

  it('costs neither the answer nor the record of the tool [fault 13.1: tool input nested 4,200 deep]', async () => {
    const stage = setUpGateway();
    const client = await stage.start(
      agentThatPrints(stage, init + tool(deepInput) + toolResult() + answer('42')),
    );
    const event = await client.ask('a', 'hello');
    expect(event).toMatchObject({ state: 'answered', responseText: '42' });
    const [turn] = await storedTurns(stage, event.eventId);
    expect(turn?.tools).toMatchObject([{ name: 'Bash', isError: false }]);
    expect(JSON.stringify(turn?.tools[0]?.input)).toContain('cut');
    expect(stage.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is shown to a blocking hook all the same [fault 13.1: blocking hook skipped over a deep input]', async () => {
    const stage = setUpGateway();
    stage.configure('hooks.json', JSON.stringify({ tool_start: [{ module: './block.mjs' }] }));
    stage.configure('block.mjs', "export default () => ({ action: 'block', reason: 'no tools' });\n");
    const client = await stage.start(
      agentThatPrints(stage, init + tool(deepInput) + toolResult() + answer('42')),
    );
    const event = await client.ask('a', 'hello');
    expect((await client.messages('a')).at(-1)?.text).toContain('Bash: no tools');
    expect(event.state).toBe('cancelled');
  });

  it('does not keep the next start from recovering its turn [fault 13.1: kill -9 after a deep tool input]', async () => {
    const stage = setUpGateway();
    const { eventId } = await abandonTurn(stage.home, 'a', 'deploy', init + tool(deepInput));
    const client = await stage.start();
    expect(await client.ended(eventId)).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect((await client.messages('a')).at(-1)?.text).toMatch(/tools had begun:\n- Bash \{"a":.*begun/);
    expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered' });
  });
});
