import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, type Run, startProgram, url } from './program.js';
import { demoAgent } from './stage.js';

const token = 'a-token-for-the-tests';
const headers = { authorization: `Bearer ${token}` };

/** Posts a message and waits for its end. */
async function ask(at: string, text: string, channel = 'a'): Promise<string> {
  const post = { method: 'POST', headers, body: JSON.stringify({ text }) };
  const { eventId } = (await (await fetch(`${at}/v1/channels/${channel}/messages`, post)).json()) as {
    eventId: string;
  };
  return (await fetch(`${at}/v1/events/${eventId}?wait=25`, { headers })).text();
}

async function stop(run: Run): Promise<void> {
  run.child.kill('SIGTERM');
  await exitCode(run);
}

function gateway(level: string, env: Record<string, string>, root = directory()): Run {
  return startProgram(root, {
    BACKEND_CLI_PATH: demoAgent,
    HTTP_TOKEN: token,
    RETRY_DELAY_MS: '20',
    SHUTDOWN_GRACE_MS: '0',
    TURNOUT_DEMO_SPEED: '0',
    LOG_LEVEL: level,
    ...env,
  });
}

/** What the demo agent is asked, and where the canary of each then stands. */
const canaries = {
  'the prompt and the answer': ['say exactly: CANARY-SAID', 'CANARY-SAID'],
  'the thinking': ['think about CANARY-THOUGHT', 'CANARY-THOUGHT'],
  'the input of a tool': ['write a note: CANARY-INPUT', 'CANARY-INPUT'],
  'the output of a tool': ['read the file notes.txt', 'CANARY-OUTPUT'],
} as const;

describe.each([
  ['one-shot', '0'],
  ['live', '1'],
])('the log of the gateway, %s (S9)', (_mode, live) => {
  const prepare = () => {
    const root = directory();
    mkdirSync(join(root, 'work'));
    writeFileSync(join(root, 'work', 'notes.txt'), 'CANARY-OUTPUT\n');
    return root;
  };

  it('has with LOG_LEVEL=debug every raw line, in and out, and the events that it became', async () => {
    const run = gateway('debug', { BACKEND_LIVE: live }, prepare());
    const at = await url(run);
    for (const [prompt] of Object.values(canaries)) await ask(at, prompt);
    await stop(run);
    const lines = run.err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const traced = lines.filter(({ message }) => message === 'agent line');
    for (const [where, [, canary]] of Object.entries(canaries)) {
      const raw = traced.filter(({ direction, line }) => direction === 'in' && line.includes(canary));
      expect(raw.length, where).toBeGreaterThan(0);
      expect(JSON.stringify(raw.map(({ events }) => events)), where).toContain(canary);
      expect(raw.every(({ level, backend }) => level === 'debug' && backend === 'claude')).toBe(true);
    }
    const sent = traced.filter(({ direction }) => direction === 'out').map(({ line }) => line);
    expect(sent.join()).toContain('CANARY-SAID');
    expect(lines.find(({ message }) => message === 'agent starts')).toMatchObject({ command: demoAgent });
    expect(lines.find(({ message }) => message === 'agent ended')).toMatchObject({
      process: expect.any(Number),
    });
    const ends = lines.flatMap(({ events = [] }) => events).map(({ type }: { type: string }) => type);
    expect(ends.filter((type: string) => type === 'complete' || type === 'ending')).toHaveLength(4);
  });

  it('has nothing of a prompt or an answer otherwise, in failures neither', async () => {
    const root = prepare();
    mkdirSync(join(root, 'config'));
    const hook = join(root, 'config', 'hook.sh');
    writeFileSync(hook, '#!/bin/sh\ncat; cat >&2; exit 3\n', { mode: 0o755 });
    writeFileSync(
      join(root, 'config', 'hooks.json'),
      JSON.stringify({ message: [{ command: ['./hook.sh'] }] }),
    );
    writeFileSync(join(root, 'config', 'identity.md'), 'CANARY-PERSONA');
    const run = gateway('info', { BACKEND_LIVE: live, CONFIG_DIR: join(root, 'config') }, root);
    const at = await url(run);
    for (const [prompt] of Object.values(canaries)) expect(await ask(at, prompt)).toContain('answered');
    // The CLI's own failures, with the prompt in the session: an API error, a crash.
    await ask(at, 'say exactly: CANARY-BEFORE', 'b');
    for (const prompt of ['fail with 429', 'crash']) await ask(at, prompt, 'b');
    const body = '{"text": "CANARY-BODY" oops';
    expect((await fetch(`${at}/v1/channels/a/messages`, { method: 'POST', headers, body })).status).toBe(400);
    await stop(run);
    expect(run.err).toContain('hook failed');
    expect(run.err).toContain('a turn ended without an answer');
    expect(run.err).not.toContain('CANARY');
    expect(run.out).not.toContain('CANARY');
  });
});

describe('the log of the gateway', () => {
  /** A CLI that prints its prompt wherever it can, and fails. */
  const chatty = `prompt=$(cat)
printf '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}\\n'
printf 'not json: %s\\n' "$prompt"
printf '{"type":"unheard_of","text":"%s"}\\n' "$prompt"
printf 'Error: %s\\n' "$prompt" >&2
exit 1`;

  function cli(root: string, script: string): string {
    const path = join(root, 'agent.sh');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  }

  it.each(['info', 'debug'])('of a CLI that fails with its prompt on stderr, at %s (S9)', async (level) => {
    const root = directory();
    const run = gateway(level, { BACKEND_CLI_PATH: cli(root, chatty) }, root);
    expect(await ask(await url(run), 'CANARY')).toContain('CANARY');
    await stop(run);
    if (level === 'info') expect(run.err).not.toContain('CANARY');
    else {
      expect(run.err).toMatch(/"message":"agent stderr".*"line":"Error: CANARY"/);
      expect(run.err).toMatch(
        /"message":"agent line".*"line":"not json: CANARY","events":\[\{"type":"notice"/,
      );
      expect(run.err).toMatch(/"message":"agent ended".*"code":1.*"events":\[.*"type":"error"/);
    }
  });

  it('says how much of a long line it has left out, and the turn does not wait for it (S9)', async () => {
    const root = directory();
    const bytes = 32 * 1024 * 1024;
    const script = `cat > /dev/null
printf '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}\\n{"type":"unheard_of","text":"'
head -c ${bytes} /dev/zero | tr '\\0' 'x'
printf '"}\\n{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1"}\\n'`;
    const run = gateway('debug', { BACKEND_CLI_PATH: cli(root, script) }, root);
    expect(await ask(await url(run), 'go')).toContain('done');
    await stop(run);
    expect(run.err.length).toBeLessThan(200_000);
    const long = run.err
      .split('\n')
      .find((line) => line.includes('unheard_of') && line.includes('agent line'));
    const { line, cut } = JSON.parse(long ?? '{}');
    expect(line.length + cut).toBe(bytes + '{"type":"unheard_of","text":""}'.length);
  });

  it('has no secrets, at debug neither (S9)', async () => {
    const root = directory();
    const script = `cat > /dev/null
printf '{"type":"system","subtype":"init","session_id":"s-1","model":"m","apiKeySource":"env"}\\n'
printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s %s"}]},"headers":{"X-Any":"plain-header"}}\\n' "$MY_API_KEY" 'Authorization: Bearer abcdefgh123'
printf 'token=%s\\n' "$OTHER" >&2
printf '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1","usage":{"input_tokens":12}}\\n'`;
    const env = { MY_API_KEY: 'swordfish-one', OTHER: 'swordfish-two', BACKEND_CLI_PATH: cli(root, script) };
    mkdirSync(join(root, 'config'));
    writeFileSync(join(root, 'config', 'hook.sh'), '#!/bin/sh\necho password=swordfish-four >&2; exit 1\n', {
      mode: 0o755,
    });
    writeFileSync(
      join(root, 'config', 'hooks.json'),
      JSON.stringify({ message: [{ command: ['./hook.sh'] }] }),
    );
    const run = gateway('debug', { ...env, CONFIG_DIR: join(root, 'config') }, root);
    expect(await ask(await url(run), `my password=swordfish-three and ${token}`)).toContain('done');
    await stop(run);
    expect(run.err).not.toMatch(/swordfish|abcdefgh123|plain-header/);
    expect(run.err).not.toContain(token);
    expect(run.err).toContain('"detail":"password=[redacted]');
    expect(run.err).toContain('\\"input_tokens\\":12');
    expect(run.err).toContain('\\"apiKeySource\\":\\"env\\"');
  });

  it('has the level of any source of settings, in capitals too (S9)', async () => {
    for (const [file, text] of [
      ['config.yaml', 'log_level: DEBUG\n'],
      ['.env', 'LOG_LEVEL=Debug\n'],
      ['named.env', 'LOG_LEVEL=debug\n'],
    ] as const) {
      const root = directory();
      const home = join(root, 'home');
      mkdirSync(home, { mode: 0o700 });
      const path = join(file === 'named.env' ? root : home, file);
      writeFileSync(path, text, { mode: 0o600 });
      const named = file === 'named.env' ? ['--settings-file', path] : [];
      const env = { BACKEND_CLI_PATH: demoAgent, HTTP_TOKEN: token, TURNOUT_HOME: home };
      const run = startProgram(root, env, named);
      await ask(await url(run), 'hello');
      await stop(run);
      expect(run.err, file).toContain('"message":"agent line"');
    }
  });

  it('names a wrong level, with those that there are', async () => {
    const run = gateway('loud', {});
    expect(await exitCode(run)).toBe(1);
    expect(run.err).toContain(
      'LOG_LEVEL="loud" in the environment: expected one of debug, info, warn, error, silent',
    );
  });
});
