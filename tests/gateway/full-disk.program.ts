import { existsSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, startProgram, url } from './program.js';
import { canMount, fillDisk, mountSmallDisk } from './small-disk.js';
import { demoAgent, eventually, type GatewayStage, setUpGateway } from './stage.js';
import { claudeLines } from './turns/claude-lines.js';

const chatty = fileURLToPath(new URL('../fixtures/programs/chatty-agent.sh', import.meta.url));
const pausing = fileURLToPath(new URL('../fixtures/programs/pause.sh', import.meta.url));
const { init, tool, toolResult, answer } = claudeLines;

describe.skipIf(!canMount)('a disk without a byte left', () => {
  it('takes the results of running turns, refuses new messages, and does not keep the gateway from starting [fault 13.3: full disk]', async () => {
    const stage = setUpGateway();
    mountSmallDisk(stage.home, 20);
    const ballast = join(stage.home, 'ballast');
    const { settings, goOn } = pausingAgent(stage, answer('done'));
    let client = await stage.start(settings);
    await eventually(() => existsSync(ballast));
    const event = await client.post('a', 'hello');
    await eventually(() => stage.points.includes('session'));
    const makeRoom = fillDisk(stage.home);
    goOn();
    expect(await client.ended(event)).toMatchObject({ state: 'answered', attempts: 1 });
    expect(existsSync(ballast)).toBe(false);
    await expect(client.post('b', 'hello')).rejects.toThrow(/503 .*NOT accepted.*full/);
    await expect(client.call('/readyz')).rejects.toThrow(/503 .*full/);
    await client.stop();

    fillDisk(stage.home);
    client = await stage.start(settings);
    expect((await client.messages('a')).at(-1)).toMatchObject({ role: 'assistant' });
    await expect(client.post('b', 'hello')).rejects.toThrow(/503 .*full/);
    makeRoom();
    await eventually(() => client.post('b', 'hello').then(Boolean, () => false));
    expect(existsSync(ballast)).toBe(true);
    await eventually(() => client.call('/readyz').then(Boolean, () => false));
  });

  it('without ballast keeps the tools of a turn known until they can be noted [fault 13.3: a tool begins on a full disk]', async () => {
    const stage = setUpGateway();
    mountSmallDisk(stage.home, 6);
    const { settings, goOn } = pausingAgent(stage, tool('{"x":1}') + toolResult() + answer('done'));
    const client = await stage.start(settings);
    const event = await client.post('a', 'hello');
    await eventually(() => stage.points.includes('session'));
    const makeRoom = fillDisk(stage.home);
    goOn();
    await eventually(() => stage.points.includes('finishing'));
    const [output] = readdirSync(join(stage.home, 'turns'));
    expect(readFileSync(join(stage.home, 'turns', output ?? ''), 'utf8')).toMatch(
      /^turnout-step \{"type":"tool_start","id":"t1"[^\n]*\nturnout-step \{"type":"tool_end"[^\n]*\n$/,
    );
    makeRoom();
    expect(await client.ended(event)).toMatchObject({ state: 'answered', attempts: 1 });
    await eventually(() => readdirSync(join(stage.home, 'turns')).length === 0);
    expect((await client.ask('a', 'hello')).state).toBe('answered');
  });

  it('does not keep a killed gateway from starting again, and is given back by the output that fills it [fault 13.3: kill -9 on a full disk]', async () => {
    const root = directory();
    const home = join(root, 'home');
    mountSmallDisk(home, 20);
    const first = join(root, 'first');
    writeFileSync(first, init + tool('{"command":"./deploy"}'));
    const env = { TURNOUT_HOME: home, HTTP_TOKEN: 'a-token-for-the-tests' };
    const run = startProgram(root, { ...env, BACKEND_CLI_PATH: chatty, CHATTY_FIRST: first });
    const { eventId } = await post(await url(run), 'a', 'hello');
    await eventually(() => isFull(home));
    run.child.kill('SIGKILL');
    await exitCode(run);
    const again = startProgram(root, { ...env, BACKEND_CLI_PATH: demoAgent });
    const at = await url(again);
    expect(await call(at, `/v1/events/${eventId}?wait=20`)).toMatchObject({
      state: 'failed',
      error: { code: 'crashed' },
    });
    await eventually(() => readdirSync(join(home, 'turns')).length === 0);
    await eventually(() => post(at, 'b', 'hello').then(Boolean, () => false));
    again.child.kill('SIGTERM');
    expect(await exitCode(again)).toBe(0);
  });

  it('makes an agent that had no room for its answer try again, which counts as no attempt [fault 13.3: an answer that finds no room]', async () => {
    const stage = setUpGateway();
    mountSmallDisk(stage.home, 20);
    // Garbage after the first line is what is left of an answer that could not be written.
    const { settings, goOn } = pausingAgent(stage, '{"type":"result","sub');
    const client = await stage.start({ ...settings, RETRY_DELAY_MS: '600000' });
    const event = await client.post('a', 'hello');
    await eventually(() => stage.points.includes('session'));
    const makeRoom = fillDisk(stage.home);
    goOn();
    await eventually(() => stage.points.includes('postponed'));
    writeFileSync(join(stage.root, 'rest'), answer('done'));
    makeRoom();
    expect(await client.ended(event)).toMatchObject({ state: 'answered', responseText: 'done' });
  });

  it('is as full for an answer when the notes of its turn have the ballast’s room [fault 13.3: an answer that finds no room beside the ballast]', async () => {
    const stage = setUpGateway();
    mountSmallDisk(stage.home, 20);
    const ballast = join(stage.home, 'ballast');
    // The note of the session takes the ballast; then the answer breaks off.
    const { settings, goOn } = pausingAgent(stage, `${init}{"type":"result","sub`, '\n');
    const client = await stage.start({ ...settings, RETRY_DELAY_MS: '600000' });
    await eventually(() => existsSync(ballast));
    const event = await client.post('a', 'hello');
    await eventually(() => existsSync(settings.PAUSE_PID));
    const makeRoom = fillDisk(stage.home);
    goOn();
    await eventually(() => stage.points.includes('finishing'));
    expect(existsSync(ballast)).toBe(false);
    await eventually(() => stage.points.includes('postponed'));
    writeFileSync(join(stage.root, 'rest'), init + answer('done'));
    makeRoom();
    expect(await client.ended(event)).toMatchObject({ state: 'answered', attempts: 1 });
  });

  it('is given back by an agent that does not stop when it has filled it [fault 13.3: a chatty agent fills the disk]', async () => {
    const stage = setUpGateway();
    mountSmallDisk(stage.home, 20);
    const first = join(stage.root, 'first');
    writeFileSync(first, init + tool('{"x":1}'));
    const client = await stage.start({
      BACKEND_CLI_PATH: chatty,
      CHATTY_FIRST: first,
      QUERY_TIMEOUT_MS: '1500',
    });
    const event = await client.ask('a', 'hello');
    expect(event).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    expect((await client.messages('a')).at(-1)?.text).toMatch(/Tools that had begun:\n- Bash/);
    await eventually(() => client.post('b', '/status').then(Boolean, () => false));
  });
});

/** An agent that begins, and says the rest when it is told to. */
function pausingAgent(stage: GatewayStage, rest: string, first = init) {
  const at = (name: string) => join(stage.root, name);
  writeFileSync(at('first'), first);
  writeFileSync(at('rest'), rest);
  const settings = {
    BACKEND_CLI_PATH: pausing,
    PAUSE_FIRST: at('first'),
    PAUSE_REST: at('rest'),
    PAUSE_UNTIL: at('until'),
    PAUSE_PID: at('pid'),
  };
  return { settings, goOn: () => writeFileSync(at('until'), '') };
}

const headers = { authorization: 'Bearer a-token-for-the-tests', 'content-type': 'application/json' };

async function call(at: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(at + path, { headers, ...post });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

function post(at: string, channel: string, text: string): Promise<Record<string, unknown>> {
  return call(at, `/v1/channels/${channel}/messages`, { text });
}

function isFull(path: string): boolean {
  return statfsSync(path).bavail === 0;
}
