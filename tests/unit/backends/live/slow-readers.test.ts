import { describe, expect, it } from 'vitest';
import { stepCodexTurn } from '../../../../src/backends/codex/live/decoder.js';
import { CodexTurn } from '../../../../src/backends/codex/live/turns.js';
import { GeminiTurn } from '../../../../src/backends/gemini/live/turns.js';
import { maxUnreadBytes, type TurnStream } from '../../../../src/backends/live/turn-stream.js';
import type { LiveEvent } from '../../../../src/backends/live/types.js';
import { OpenCodeTurn } from '../../../../src/backends/opencode/live/turns.js';

interface RunningTool {
  readonly stream: TurnStream;
  /** A tool ends with this output, in the words of its CLI. */
  toolEnds(id: string, output: string): void;
  turnEnds(): void;
}

const turns: Readonly<Record<string, () => RunningTool>> = {
  codex: () => {
    const turn = new CodexTurn();
    const take = (value: object) => turn.take(stepCodexTurn(turn.state, { value: { ...value }, raw: '' }));
    take({ id: 1, result: { turn: { id: 't1' } } });
    return {
      stream: turn.stream,
      toolEnds: (id, output) => {
        const item = { type: 'commandExecution', id, command: 'cat', aggregatedOutput: output };
        take({ method: 'item/started', params: { turnId: 't1', item } });
        take({ method: 'item/completed', params: { turnId: 't1', item } });
      },
      turnEnds: () => {
        const ending = take({
          method: 'turn/completed',
          params: { turn: { id: 't1', status: 'completed' } },
        });
        if (ending !== undefined) turn.finish(ending);
      },
    };
  },
  gemini: () => {
    const turn = new GeminiTurn();
    const push = (events: readonly LiveEvent[]) => {
      for (const event of events) turn.stream.push(event);
    };
    return {
      stream: turn.stream,
      toolEnds: (id, output) => {
        const content = [{ type: 'content', content: { type: 'text', text: output } }];
        const call = { toolCallId: id, kind: 'execute', status: 'completed', content };
        push(turn.step({ type: 'update', update: { sessionUpdate: 'tool_call', ...call }, raw: '' }));
      },
      turnEnds: () => push(turn.step({ type: 'result', result: { stopReason: 'end_turn' } })),
    };
  },
  opencode: () => {
    const turn = new OpenCodeTurn('ses_1');
    turn.begin('msg_1');
    const take = (type: string, properties: object) =>
      turn.receive({ type, properties: { sessionID: 'ses_1', ...properties } }, '');
    take('message.updated', { info: { id: 'msg_2', role: 'assistant', parentID: 'msg_1' } });
    return {
      stream: turn.stream,
      toolEnds: (id, output) => {
        const state = { status: 'completed', input: {}, output };
        const part = { id, callID: id, messageID: 'msg_2', type: 'tool', tool: 'bash', state };
        take('message.part.updated', { part });
      },
      turnEnds: () => turn.finish(),
    };
  },
};

const output = 'x'.repeat(1024 * 1024);
const nameOf = (index: number) => `tool-${index}`;

describe.each(Object.keys(turns))('a turn of %s with 300 unread outputs of 1 MiB', (name) => {
  const make = () => (turns[name] as () => RunningTool)();

  it('keeps 32 MiB of them for its reader and its ending, which says so', async () => {
    const turn = make();
    for (let index = 0; index < 300; index++) {
      turn.toolEnds(nameOf(index), output);
      expect(turn.stream.overflowed).toBe(index * output.length >= maxUnreadBytes);
    }
    turn.turnEnds();
    const events: LiveEvent[] = [];
    for await (const event of turn.stream) events.push(event);
    const outputs = events.flatMap((event) => (event.type === 'tool_end' ? [event.output] : []));
    expect(outputs).toHaveLength(maxUnreadBytes / output.length);
    expect(events.at(-1)).toMatchObject({
      type: 'ending',
      ending: { type: 'failed', code: 'interrupted', message: expect.stringContaining('32 MiB behind') },
    });
  });

  it('keeps none of them for a reader that has left', async () => {
    const turn = make();
    turn.toolEnds(nameOf(0), output);
    for await (const _ of turn.stream) break;
    for (let index = 1; index < 300; index++) turn.toolEnds(nameOf(index), output);
    expect(turn.stream.overflowed).toBe(false);
  });
});
