import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventually, type GatewayStage, setUpGateway } from '../stage.js';
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

  it('is shown to a hook all the same, with a mark for what was cut [fault 13.1: hook skipped over a deep input]', async () => {
    const stage = setUpGateway();
    const seen = join(stage.root, 'seen');
    stage.configure(
      'hooks.json',
      JSON.stringify({ tool_start: [{ module: './look.mjs', blocking: false }] }),
    );
    stage.configure(
      'look.mjs',
      `import { writeFileSync } from 'node:fs';\nexport default (tool) => writeFileSync(${JSON.stringify(seen)}, JSON.stringify(tool));\n`,
    );
    const client = await stage.start(
      agentThatPrints(stage, init + tool(deepInput) + toolResult() + answer('42')),
    );
    expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered' });
    await eventually(() => existsSync(seen) && readFileSync(seen, 'utf8').includes('[cut: nested'));
  });

  it('does not keep the next start from recovering its turn [fault 13.1: kill -9 after a deep tool input]', async () => {
    const stage = setUpGateway();
    const { eventId } = await abandonTurn(stage.home, 'a', 'deploy', init + tool(deepInput));
    const client = await stage.start();
    expect(await client.ended(eventId)).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect((await client.messages('a')).at(-1)?.text).toMatch(/tools had begun:\n- Bash \(begun/);
    expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered' });
  });
});

describe('an output that takes long to read', () => {
  const { init, tool } = claudeLines;

  it('of one line of 520 MiB is read up to its end, and the tool behind it is known [fault 13.2: output line over 512 MiB, then a crash]', async () => {
    const stage = setUpGateway();
    const { eventId, outputFile } = await abandonTurn(stage.home, 'a', 'deploy', init);
    // A hole in the file: zeros that take no room on the disk.
    truncateSync(outputFile, 520 * 1024 ** 2);
    appendFileSync(outputFile, `\n${tool('{"command":"./deploy"}')}`);
    const client = await stage.start();
    expect(await client.ended(eventId)).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect((await client.messages('a')).at(-1)?.text).toMatch(/tools had begun:[\s\S]*- Bash .*deploy/);
  });
});

describe('an agent that prints without end', () => {
  const { init, tool } = claudeLines;
  const chatty = fileURLToPath(new URL('../../fixtures/programs/chatty-agent.sh', import.meta.url));

  it('is ended at MAX_OUTPUT_MB, the channel is told, and nothing of it is left [fault 13.3: output without end]', async () => {
    const stage = setUpGateway();
    const first = join(stage.root, 'first');
    writeFileSync(first, init + tool('{"command":"./deploy"}'));
    const client = await stage.start({
      BACKEND_CLI_PATH: chatty,
      CHATTY_FIRST: first,
      MAX_OUTPUT_MB: '1',
    });
    const event = await client.ask('a', 'hello');
    expect(event).toMatchObject({ state: 'failed', attempts: 1, error: { code: 'bad_request' } });
    expect((await client.messages('a')).at(-1)?.text).toMatch(
      /The agent wrote more than 1 MB of output in one turn[\s\S]*raise MAX_OUTPUT_MB[\s\S]*- Bash .*deploy/,
    );
    await eventually(() => readdirSync(join(stage.home, 'turns')).length === 0);
  });
});

describe('an agent that prints what no agent should', () => {
  const { init, tool, answer } = claudeLines;

  it('is answered for, without the numbers that can not be true [fault 13.1: usage that is no number of tokens]', async () => {
    const stage = setUpGateway();
    const result =
      '{"type":"result","subtype":"success","is_error":false,"result":"42","session_id":"s1","usage":{"input_tokens":1e308,"output_tokens":-5,"cache_read_input_tokens":1.5},"total_cost_usd":1e999}';
    const client = await stage.start(agentThatPrints(stage, `${init}${result}\n`));
    const event = await client.ask('a', 'hello');
    expect(event).toMatchObject({ state: 'answered', responseText: '42', attempts: 1 });
    const [turn] = await storedTurns(stage, event.eventId);
    expect(turn?.usage).toEqual({ inputTokens: 0, outputTokens: 0, cachedInputTokens: 2 });
    expect(stage.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  const many = Array.from({ length: 5000 }, (_, index) => tool('{}', `t${index}`)).join('');

  it('of 5,000 tools is answered for, and the first ones are noted [fault 13.1: thousands of tools in one turn]', async () => {
    const stage = setUpGateway();
    const client = await stage.start(agentThatPrints(stage, init + many + answer('42')));
    const event = await client.ask('a', 'hello');
    expect(event).toMatchObject({ state: 'answered', responseText: '42' });
    expect(stage.points.filter((point) => point === 'tool_started')).toHaveLength(2000);
    const [turn] = await storedTurns(stage, event.eventId);
    expect(turn?.tools).toHaveLength(2000);
    expect(turn?.tools.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
  });

  it.each(['nothing', 'a file'])(
    'is answered for when %s is where the outputs were [fault 13.3: turns/ is gone]',
    async (instead) => {
      const stage = setUpGateway();
      const client = await stage.start(agentThatPrints(stage, init + answer('42')));
      const turns = join(stage.home, 'turns');
      expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered' });
      rmSync(turns, { recursive: true });
      if (instead === 'a file') writeFileSync(turns, '');
      expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered', attempts: 1 });
      expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered', attempts: 1 });
      const warned = stage.log.filter(({ message, msg }) =>
        String(message ?? msg).includes('outputs of agents'),
      );
      expect(warned).toHaveLength(instead === 'a file' ? 1 : 0);
      rmSync(turns, { recursive: true, force: true });
      expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered' });
      expect(existsSync(turns)).toBe(true);
    },
  );
});
