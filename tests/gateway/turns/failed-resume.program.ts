import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Client, type GatewayStage, setUpGateway } from '../stage.js';

const line = (value: object) => `printf '%s\\n' '${JSON.stringify(value)}'`;
const init = (id: string) => line({ type: 'system', subtype: 'init', session_id: id, model: 'm' });
const tool = line({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'touch x' } }] },
});
/** Claude's own form of an id: other words may be the title of a session. */
const first = '0199a213-81c0-7800-8aa1-00000000aaaa';
/** The same in a transcript of Claude's, for a turn that begins now. */
const recorded = `now=$(date -u +%Y-%m-%dT%H:%M:%S.999Z); printf '{"type":"%s","timestamp":"%s","message":{"content":%s}}\\n' user $now '"and now?"' assistant $now '[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]'`;
const inOneWrite = (...lines: readonly string[]) => `lines=$(${lines.join('; ')}); printf '%s\\n' "$lines"`;
const failure = (message: string) =>
  line({ type: 'result', subtype: 'success', is_error: true, result: message, session_id: first });
const emptyAnswer = line({
  ...{ type: 'result', subtype: 'success', is_error: false, result: '', session_id: first },
  usage: { input_tokens: 0, output_tokens: 0 },
});

/**
 * A CLI with Claude's output. It notes the session of each run and its prompt; the first new session is `first`, the next
 * one `second`. A resume of `first` does as the lines of shell say.
 */
function setUp(onResume: string, onNew = ''): GatewayStage & { runs(): readonly string[]; prompt(): string } {
  const stage = setUpGateway({ RETRY_DELAY_MS: '20', QUERY_TIMEOUT_MS: '3000' });
  const path = join(stage.root, 'agent.sh');
  const answer = `printf '{"type":"result","subtype":"success","is_error":false,"result":"done by %s","session_id":"%s"}\\n' $id $id`;
  const script = [
    `cat > "${stage.root}/prompt"`,
    'resumed=',
    'while [ $# -gt 0 ]; do [ "$1" = --resume ] && resumed=$2; shift; done',
    `echo "\${resumed:-new}" >> "${stage.root}/runs"`,
    `if [ "$resumed" = ${first} ] && [ ! -e "${stage.root}/repaired" ]; then`,
    onResume,
    'fi',
    `id=\${resumed:-$([ -e "${stage.root}/made" ] && echo second || echo ${first})}`,
    `if [ -z "$resumed" ] && [ -e "${stage.root}/made" ] && [ ! -e "${stage.root}/repaired" ]; then :`,
    onNew,
    'fi',
    `: > "${stage.root}/made"`,
    `printf '{"type":"system","subtype":"init","session_id":"%s","model":"m"}\\n' $id`,
    answer,
  ].join('\n');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    ...stage,
    start: (env = {}) => stage.start({ BACKEND_CLI_PATH: path, ...env }),
    runs: () => readFileSync(join(stage.root, 'runs'), 'utf8').trim().split('\n'),
    prompt: () => readFileSync(join(stage.root, 'prompt'), 'utf8'),
  };
}

async function notices(client: Client): Promise<readonly string[]> {
  return (await client.messages('a')).filter(({ role }) => role === 'system').map(({ text }) => text);
}

const damages = {
  'crashes without a word': 'exit 1',
  'crashes after its first line': `${init(first)}; exit 1`,
  'prints what nobody understands': 'echo "%PDF"; exit 0',
  'gives an empty answer without having asked the model': `${emptyAnswer}; exit 0`,
  'names a damaged record': 'echo "Failed to resume session: EACCES: permission denied" >&2; exit 1',
  'answers in another session': `${init('other')}; exec sleep 600`,
  'does not know it': `echo "No conversation found with session ID: ${first}" >&2; exit 1`,
  'has a history that the model refuses': `${failure('API Error: 400 messages.3: tool_use without tool_result')}; exit 1`,
};

describe('a session that can’t be resumed is a lost session (R10)', () => {
  it.each(Object.entries(damages))('when the CLI %s', async (_how, onResume) => {
    const stage = setUp(onResume);
    const client = await stage.start();
    expect(await client.ask('a', 'remember 4711')).toMatchObject({ responseText: `done by ${first}` });
    expect(await client.ask('a', 'and now?')).toMatchObject({
      ...{ state: 'answered', responseText: 'done by second', attempts: 1 },
    });
    expect(stage.prompt()).toMatch(/conversation_so_far.*remember 4711.*done by [-0-9a-f]+.*and now\?$/s);
    expect(await client.ask('a', 'go on')).toMatchObject({ responseText: 'done by second', attempts: 1 });
    expect(stage.runs()).toEqual(['new', first, 'new', 'second']);
    expect(await notices(client)).toEqual([
      expect.stringMatching(
        /^The session with claude could not be resumed \(.+\)\nThe conversation goes on in a new one/s,
      ),
    ]);
    expect((await client.messages('a')).map(({ role }) => role)).toEqual([
      ...['user', 'assistant'],
      ...['user', 'system', 'assistant'],
      ...['user', 'assistant'],
    ]);
  });

  it('is forgotten when the new one fails in a way that may pass, and the channel is told once', async () => {
    const onNew = `n=$(wc -l < "$0.new" 2>/dev/null || echo 0); echo x >> "$0.new"; [ $n -gt 0 ] || { ${failure('API Error: 529 overloaded')}; exit 1; }`;
    const stage = setUp(damages['does not know it'], onNew);
    const client = await stage.start();
    await client.ask('a', 'remember 4711');
    expect(await client.ask('a', 'and now?')).toMatchObject({ responseText: 'done by second', attempts: 2 });
    expect(stage.runs()).toEqual(['new', first, 'new', 'new']);
    expect(await notices(client)).toHaveLength(1);
  });

  it.each([
    ['tools had begun', `${init(first)}; ${tool}; ${failure('Session not found')}; exit 1`],
    ['tools had begun in another session', `${inOneWrite(init('other'), tool)}; exec sleep 600`],
    [
      'its record has tools of another session',
      `d="$HOME/.claude/projects/$(pwd | tr -c 'a-zA-Z0-9\\n' -)"; mkdir -p "$d"; ${recorded} > "$d/other.jsonl"; ${init('other')}; exec sleep 600`,
    ],
  ])('is not run again when %s; the next message begins a new one', async (_when, onResume) => {
    const stage = setUp(onResume);
    const client = await stage.start();
    await client.ask('a', 'remember 4711');
    expect(await client.ask('a', 'and now?')).toMatchObject({ state: 'failed', attempts: 1 });
    expect(stage.runs()).toEqual(['new', first]);
    expect(await client.ask('a', 'go on')).toMatchObject({ responseText: 'done by second' });
    expect(stage.runs()).toEqual(['new', first, 'new']);
    const [lost, failed, ...others] = await notices(client);
    expect(lost).toMatch(/could not be resumed/);
    expect(failed).toMatch(/Tools that had begun:\n- Bash/);
    expect(others).toEqual([]);
  });
});

const otherReasons = {
  'a rate limit': `${failure('API Error: 429 rate limit')}; exit 1`,
  'an overloaded model': `${failure('API Error: 529 overloaded')}; exit 1`,
  'a network that is away': `${failure('API Error: Unable to connect (ECONNREFUSED)')}; exit 1`,
  'a time-out': 'exec sleep 60',
  'a kill from outside': 'kill -9 $$',
  'a kill of what a shim has started': 'exit 137',
  'a rejected session of a proxy': `${failure('API Error: 429 session not found')}; exit 1`,
};

describe('a session is kept when its turn fails over something else (R10)', () => {
  it.each(Object.entries(otherReasons))('%s: the same session is tried again', async (_what, onResume) => {
    const stage = setUp(`: > "$(dirname "$0")/repaired"; ${onResume}`);
    const client = await stage.start();
    await client.ask('a', 'remember 4711');
    expect(await client.ask('a', 'and now?')).toMatchObject({ responseText: `done by ${first}` });
    expect(stage.runs()).toEqual(['new', first, first]);
    expect(await notices(client)).toEqual([]);
  });

  it('a rejected key: it fails at once, and the next message resumes it', async () => {
    const stage = setUp(`${failure('API Error: 401 invalid x-api-key')}; exit 1`);
    const client = await stage.start();
    await client.ask('a', 'remember 4711');
    expect(await client.ask('a', 'and now?')).toMatchObject({ state: 'failed', error: { code: 'auth' } });
    writeFileSync(join(stage.root, 'repaired'), '');
    expect(await client.ask('a', 'go on')).toMatchObject({ responseText: `done by ${first}` });
    expect(stage.runs()).toEqual(['new', first, first]);
  });

  it('a crash behind a tool: the session knows what was done', async () => {
    const stage = setUp(`${init(first)}; ${tool}; exit 1`);
    const client = await stage.start();
    await client.ask('a', 'remember 4711');
    expect(await client.ask('a', 'and now?')).toMatchObject({ state: 'failed', attempts: 1 });
    writeFileSync(join(stage.root, 'repaired'), '');
    expect(await client.ask('a', 'go on')).toMatchObject({ responseText: `done by ${first}` });
    expect(stage.runs()).toEqual(['new', first, first]);
  });

  it('a CLI that is broken: a new session fails too, and the retries are those of any crash', async () => {
    const stage = setUp('exit 1', `${init('second')}; exit 1`);
    const client = await stage.start();
    await client.ask('a', 'remember 4711');
    expect(await client.ask('a', 'and now?')).toMatchObject({
      ...{ state: 'failed', attempts: 4, error: { code: 'crashed' } },
    });
    // It is tried without the session once, not in every retry.
    expect(stage.runs().slice(1)).toEqual([first, 'new', first, first, first]);
    writeFileSync(join(stage.root, 'repaired'), '');
    expect(await client.ask('a', 'go on')).toMatchObject({ responseText: `done by ${first}` });
    expect(await notices(client)).toEqual([expect.stringMatching(/^claude could not answer \(crashed\)/)]);
  });
});

describe('a session whose resume hangs without a word of the model (R10)', () => {
  async function hang(onResume: string) {
    const stage = setUp(onResume);
    const client = await stage.start({ QUERY_TIMEOUT_MS: '1500' });
    await client.ask('a', 'remember 4711');
    expect(await client.ask('a', 'and now?')).toMatchObject({
      ...{ state: 'failed', attempts: 4, error: { code: 'timeout' } },
    });
    expect(stage.runs().slice(1)).toEqual([first, first, first, first]);
    return { stage, client };
  }

  it('is given up with the last retry: the message is not run again, the next one begins a new session', async () => {
    const { stage, client } = await hang('exec sleep 60');
    expect(await notices(client)).toEqual([
      expect.stringMatching(/^The session with claude could not be resumed \(Query timed out\)/),
      expect.stringMatching(/^claude could not answer \(timeout\)/),
    ]);
    expect(await client.ask('a', 'go on')).toMatchObject({ responseText: 'done by second', attempts: 1 });
    expect(stage.prompt()).toMatch(/conversation_so_far.*remember 4711.*done by [-0-9a-f]+.*go on$/s);
  });

  it('is kept if the model was heard', async () => {
    const word = line({ type: 'assistant', message: { content: [{ type: 'text', text: 'Well …' }] } });
    const { stage, client } = await hang(`${init(first)}; ${word}; exec sleep 60`);
    writeFileSync(join(stage.root, 'repaired'), '');
    expect(await client.ask('a', 'go on')).toMatchObject({ responseText: `done by ${first}` });
  });
});
