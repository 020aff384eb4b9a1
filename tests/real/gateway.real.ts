import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import type { ModelRequest } from '../../src/lab/model/request.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { installedCli } from './installed-cli.js';
import { isLeftOut } from './is-left-out.js';
import { LabGateway, secrets } from './lab-gateway.js';

// The four CLIs behind the gateway, seen from outside: over HTTP, in the archive, and in what the model was sent.

const modes = ['one-shot', 'live'] as const;
const all = vendorNames.flatMap((backend) => modes.map((mode) => [backend, mode] as const));
const patience = { timeout: 60_000, interval: 50 };

/** Where each CLI keeps its sessions. */
const sessionFiles: Readonly<Record<VendorName, string>> = {
  claude: '.claude/projects',
  codex: '.codex/sessions',
  gemini: '.gemini/tmp',
  opencode: '.local/share/opencode',
};

const otherModels: Readonly<Record<VendorName, string>> = {
  claude: 'claude-sonnet-4-5',
  codex: 'gpt-5.1-codex',
  gemini: 'gemini-2.5-pro',
  opencode: 'lab/other-model',
};

describe.each(all)('the gateway with %s, %s', (backend, mode) => {
  const live = mode === 'live';
  // OpenCode's one-shot output names a tool when it has ended: until then none has begun, for all that can be known.
  const tellsOfTools = live || backend !== 'opencode';
  const whereQuick = it.skipIf(isLeftOut(backend, mode));
  let model: ScriptedModel;
  let gateway: LabGateway;

  beforeAll(async () => {
    model = await startScriptedModel();
    gateway = await LabGateway.with(backend, model.url, live);
    await gateway.persona('identity.md', 'PERSONA-OF-THE-TEST');
    await gateway.persona('memory.md', 'MEMORY-ONE');
    await gateway.start();
  }, 120_000);

  afterAll(async () => {
    await gateway.remove();
    await model.close();
    expect(gateway.processes()).toEqual([]);
  }, 60_000);

  it('answers, goes on with the session, and always knows its persona (R10.4)', async () => {
    model.use(['the first answer']);
    const first = await gateway.say('home', 'the first question');
    expect(first, gateway.log).toMatchObject({
      state: 'answered',
      responseText: 'the first answer',
      attempts: 1,
    });
    expect(lastTurn()).toContain('PERSONA-OF-THE-TEST');
    expect(lastTurn()).toContain('MEMORY-ONE');
    const session = await gateway.storedSession('home', backend);
    expect(session).toBeTruthy();

    model.use(['the second answer']);
    const second = await gateway.say('home', 'the second question');
    expect(second).toMatchObject({ state: 'answered', responseText: 'the second answer', attempts: 1 });
    for (const said of [
      'the first question',
      'the first answer',
      'the second question',
      'PERSONA-OF-THE-TEST',
    ]) {
      expect(lastTurn()).toContain(said);
    }
    // By the session, not by a seed.
    expect(lastTurn()).not.toContain('conversation_so_far');
    const turn = await gateway.lastTurn(second.eventId);
    expect(turn).toMatchObject({ state: 'answered', sessionId: session });
    expect(turn.setup).toMatchObject({ backend, live, resumed: session, cwd: gateway.home.workingDir });
    expect(await gateway.command('why', second.eventId)).toContain(session);

    await gateway.persona('memory.md', 'MEMORY-TWO');
    model.use(['the third answer']);
    const third = await gateway.say('home', 'the third question');
    expect(third).toMatchObject({ state: 'answered', responseText: 'the third answer' });
    for (const said of ['the first question', 'the second answer', 'PERSONA-OF-THE-TEST', 'MEMORY-TWO']) {
      expect(lastTurn()).toContain(said);
    }
    expect((await gateway.lastTurn(third.eventId)).setup).toMatchObject({ resumed: session });
    // Where the CLI appends it natively, nothing of the old one is left.
    if (backend === 'claude' || backend === 'opencode') expect(lastTurn()).not.toContain('MEMORY-ONE');
    expect((await gateway.messages('home')).map(({ role, text, backend: by }) => [role, text, by])).toEqual([
      ['user', 'the first question', undefined],
      ['assistant', 'the first answer', backend],
      ['user', 'the second question', undefined],
      ['assistant', 'the second answer', backend],
      ['user', 'the third question', undefined],
      ['assistant', 'the third answer', backend],
    ]);
  });

  it('runs the turn once more when the session has vanished, with what was said so far (R10)', async () => {
    if (!live) {
      await rm(join(gateway.home.directory, sessionFiles[backend]), { recursive: true, force: true });
    } else await gateway.loseSession('home', backend);
    const lost = await gateway.storedSession('home', backend);
    model.use(['found again']);
    const event = await gateway.say('home', 'do you remember?');
    expect(event, gateway.log).toMatchObject({ state: 'answered', responseText: 'found again', attempts: 1 });
    for (const said of [
      'conversation_so_far',
      'the first question',
      'the third answer',
      'PERSONA-OF-THE-TEST',
    ]) {
      expect(lastTurn()).toContain(said);
    }
    expect(model.turns.at(-1)?.prompt).toMatch(/do you remember\?$/);
    const { setup, sessionId } = await gateway.lastTurn(event.eventId);
    expect(setup?.resumed).toBeUndefined();
    expect(setup?.prompt.seededMessages).toBe(6);
    expect(sessionId).not.toBe(lost);
    expect(await gateway.storedSession('home', backend)).toBe(sessionId);

    model.use(['and on']);
    expect(await gateway.say('home', 'go on')).toMatchObject({ state: 'answered', responseText: 'and on' });
    expect(count(lastTurn(), 'the first question')).toBe(1);
    expect(lastTurn()).toContain('found again');
  });

  it('runs a tool in the working directory, and gives it none of the gateway’s secrets', async () => {
    model.use([{ steps: [{ shell: 'printenv; touch made-here.txt' }] }, 'After the tool.']);
    model.forget();
    const event = await gateway.say('tools', 'use the tool');
    expect(event, gateway.log).toMatchObject({ state: 'answered', responseText: 'After the tool.' });
    expect(existsSync(join(gateway.home.workingDir, 'made-here.txt'))).toBe(true);
    const turn = await gateway.lastTurn(event.eventId);
    const events = await gateway.read((archive) => archive.turnEvents(turn.id));
    const started = events.find(({ type }) => type === 'tool_start');
    expect(started).toMatchObject({ type: 'tool_start', id: expect.any(String) });
    expect(JSON.stringify(started)).toContain('printenv');
    expect(events.find(({ type }) => type === 'tool_end')).toMatchObject({ isError: false });
    expect(turn.tools).toMatchObject([{ isError: false, endedAt: expect.any(Number) }]);
    // It did print its environment.
    expect(lastTurn()).toContain(`TURNOUT_LAB=${gateway.home.mark}`);
    for (const secret of Object.values(secrets)) expect(lastTurn()).not.toContain(secret);
  });

  it('sends a /word that is no command of the gateway to the model as it was typed', async () => {
    model.use(['it was a prompt']);
    for (const typed of ['/about me', '/compact', '/clear now']) {
      model.forget();
      const event = await gateway.say('slashes', typed);
      expect(event, gateway.log).toMatchObject({ state: 'answered', responseText: 'it was a prompt' });
      // The text in front is the persona, where the CLI has no other place for it; and Gemini, which has no switch
      // for its own commands, gets a space in front of one of them in a one-shot turn.
      const space = backend === 'gemini' && !live ? ' ?' : '';
      expect(`\n${model.turns.at(-1)?.prompt}`).toMatch(new RegExp(`\\n${space}${typed}$`));
    }
    // The conversation has neither been compacted nor cleared.
    expect(lastTurn()).toContain('/about me');
  });

  whereQuick(
    'works in the channel’s own directory; in another one it begins anew, and knows what was said',
    async () => {
      const inside = (directory: string) =>
        gateway.persona('channels/place/channel.md', `---\ncwd: ${directory}\n---\n`);
      await mkdir(join(gateway.home.workingDir, 'here'));
      await mkdir(join(gateway.home.workingDir, 'there'));
      for (const place of ['here', 'there']) {
        await inside(place);
        model.use([{ steps: [{ shell: 'pwd > place.txt' }] }, `it is ${place}`]);
        const event = await gateway.say('place', `where are you? not ${place}?`);
        expect(event, gateway.log).toMatchObject({ state: 'answered', responseText: `it is ${place}` });
        expect(existsSync(join(gateway.home.workingDir, place, 'place.txt'))).toBe(true);
        expect((await gateway.lastTurn(event.eventId)).setup?.resumed).toBeUndefined();
      }
      expect(lastTurn()).toContain('it is here');
    },
  );

  whereQuick('changes the model in the middle of a conversation, and begins a new one', async () => {
    model.use(['noted']);
    await gateway.say('choice', 'the number is 4711');
    expect(await gateway.say('choice', `/model ${otherModels[backend]}`)).toMatchObject({
      state: 'answered',
    });
    expect(await gateway.say('choice', 'which number?'), gateway.log).toMatchObject({ state: 'answered' });
    expect(otherModels[backend]).toContain(model.turns.at(-1)?.model);
    expect(lastTurn()).toContain('the number is 4711');
    expect(lastTurn()).not.toContain('conversation_so_far');
    expect(await gateway.say('choice', '/new')).toMatchObject({ state: 'answered' });
    expect(await gateway.say('choice', 'what was it?'), gateway.log).toMatchObject({ state: 'answered' });
    expect(lastTurn()).not.toContain('4711');
    expect(lastTurn()).toContain('PERSONA-OF-THE-TEST');
  });

  whereQuick('keeps two channels apart that run at the same time', async () => {
    // Neither is answered before both have asked.
    const asked = new Set<string>();
    model.use(async (request) => {
      const [, name = 'nobody', round = ''] = /I am (\w+), round (\d)/.exec(request.prompt) ?? [];
      asked.add(name + round);
      await vi.waitUntil(() => asked.size >= 2 * Number(round), patience);
      return `hello ${name}`;
    });
    for (const round of [1, 2]) {
      model.forget();
      const [ada, bob] = await Promise.all([
        gateway.say('ada', `I am Ada, round ${round}`),
        gateway.say('bob', `I am Bob, round ${round}`),
      ]);
      expect(ada, gateway.log).toMatchObject({ state: 'answered', responseText: 'hello Ada' });
      expect(bob).toMatchObject({ state: 'answered', responseText: 'hello Bob' });
      expect(requestWith('I am Ada, round')).not.toContain('Bob');
      expect(requestWith('I am Bob, round')).not.toContain('Ada');
    }
    expect(requestWith('I am Ada, round 2')).toContain('I am Ada, round 1');
  });

  it('cancels a turn that is interrupted while it streams, and answers the next', async () => {
    model.use(['before']);
    await gateway.say('story', 'a short story');
    const running = await hangingTurn('story', 'a long story');
    const clis = gateway.processes();
    expect(clis.length).toBeGreaterThan(0);
    for (const { env } of clis)
      for (const secret of Object.values(secrets)) expect(env).not.toContain(secret);

    expect(await gateway.interrupt('story')).toBe(true);
    expect(await gateway.ended(running), gateway.log).toMatchObject({
      state: 'cancelled',
      error: { code: 'interrupted' },
    });
    model.use(['a good end']);
    const next = await gateway.say('story', 'the end, please');
    expect(next, gateway.log).toMatchObject({ state: 'answered', responseText: 'a good end', attempts: 1 });
    expect(lastTurn()).toContain('a short story');
    expect(lastTurn()).not.toContain('conversation_so_far');
    expect(await gateway.interrupt('story')).toBe(false);
  });

  it('answers after the very first turn of a channel was interrupted', async () => {
    const running = await hangingTurn('early', 'never mind');
    await gateway.interrupt('early');
    expect(await gateway.ended(running)).toMatchObject({ state: 'cancelled' });
    model.use(['here I am']);
    expect(await gateway.say('early', 'are you there?'), gateway.log).toMatchObject({
      state: 'answered',
      responseText: 'here I am',
    });
  });

  it('fails with the code and with what helps when the key is refused, and does not insist', async () => {
    model.use([{ status: 401, message: 'bad key' }]);
    const event = await gateway.say('refused', 'who are you?');
    expect(event, gateway.log).toMatchObject({ state: 'failed', attempts: 1, error: { code: 'auth' } });
    expect((await gateway.messages('refused')).at(-1)).toMatchObject({
      role: 'system',
      eventId: event.eventId,
    });
    expect((await gateway.messages('refused')).at(-1)?.text).toMatch(/\(auth\)[\s\S]*\/retry/);
    model.use(['it is me']);
    expect(await gateway.say('refused', '/retry'), gateway.log).toMatchObject({
      state: 'answered',
      responseText: 'it is me',
    });
    expect(model.turns.at(-1)?.prompt).toMatch(/who are you\?$/);
  });

  // OpenCode repeats by itself for over a minute, and says nothing of it: the silence would be all there is to see.
  it.skipIf(backend === 'opencode')('tries again when the model is overloaded', async () => {
    model.use([{ status: backend === 'claude' ? 529 : 503, message: 'busy' }]);
    const eventId = await gateway.post('busy', 'now?');
    await expect
      .poll(() => gateway.event(eventId), patience)
      .toMatchObject({ lastError: { code: 'overloaded' } });
    model.use(['now']);
    const event = await gateway.ended(eventId);
    expect(event, gateway.log).toMatchObject({ state: 'answered', responseText: 'now' });
    expect(event.attempts).toBeGreaterThan(1);
    const texts = (await gateway.messages('busy')).map(({ text }) => text);
    expect(texts).toEqual(['now?', 'now']);
  });

  it('ends a running tool with its turn', async () => {
    model.use([{ steps: [{ shell: waitFor('patient') }] }, 'never']);
    const eventId = await gateway.post('patient', 'take your time');
    await toolRuns(eventId, 'patient');
    expect(await gateway.interrupt('patient')).toBe(true);
    expect(await gateway.ended(eventId), gateway.log).toMatchObject({ state: 'cancelled' });
    if (tellsOfTools) expect((await gateway.messages('patient')).at(-1)?.text).toContain('tail -f patient');
    await expect.poll(() => waiting('patient'), patience).toEqual([]);
  });

  it('answers exactly once when it is killed in the middle of an answer, repeats no tool, and leaves no process', async () => {
    model.use(['before the crash']);
    await gateway.say('crash', 'the question before');
    model.use((request) => ({
      steps: request.prompt.includes('tool')
        ? [{ shell: waitFor('working') }]
        : [{ text: ['half '] }, { hang: true }],
    }));
    const answering = await gateway.post('crash', 'the fatal question');
    const working = await gateway.post('working', 'use the tool');
    await toolRuns(working, 'working');
    await expect.poll(() => model.turns.some(({ outcome }) => outcome === 'hanging'), patience).toBe(true);
    const owner = `TURNOUT_OWNER=${gateway.pid}.`;
    const left = () => gateway.processes().filter(({ env }) => env.includes(owner));
    expect(left().length).toBeGreaterThan(1);
    await gateway.kill();
    model.use(['after the crash']);
    model.forget();
    await gateway.start(live ? { PERMISSION_MODE: 'ask' } : {});
    expect(left()).toEqual([]);
    expect(waiting('working')).toEqual([]);

    expect(await gateway.ended(answering), gateway.log).toMatchObject({
      state: 'answered',
      responseText: 'after the crash',
      attempts: 1,
    });
    const again = requestWith('the fatal question');
    expect(again).toContain('the question before');
    // The session outlives the crash, too.
    expect(again).not.toContain('conversation_so_far');
    expect((await gateway.lastTurn(answering)).setup?.resumed).toBeTruthy();
    expect((await gateway.messages('crash')).map(({ role, text }) => [role, text])).toEqual([
      ['user', 'the question before'],
      ['assistant', 'before the crash'],
      ['user', 'the fatal question'],
      ['assistant', 'after the crash'],
    ]);

    const crashed = { state: 'failed', attempts: 1, error: { code: 'crashed' } };
    expect(await gateway.ended(working), gateway.log).toMatchObject(crashed);
    expect((await gateway.messages('working')).at(-1)?.text).toMatch(/tail -f working[\s\S]*\/retry/);
    expect(await gateway.say('working', '/retry'), gateway.log).toMatchObject({
      state: 'answered',
      responseText: 'after the crash',
    });
    expect(lastTurn()).toContain('use the tool');
    model.use(['and on']);
    expect(await gateway.say('crash', 'go on')).toMatchObject({ state: 'answered', responseText: 'and on' });
  });

  // From here on the live gateway asks.
  it.runIf(live).each([
    ['allow', true],
    ['deny', false],
  ])('waits for a permission over the API: %s', async (decision, there) => {
    const file = `${decision}.txt`;
    model.use([{ steps: [{ shell: `touch ${file}` }] }, 'After the question.']);
    const eventId = await gateway.post('ask', `make ${file}`);
    await expect.poll(() => gateway.permissions('ask'), patience).toHaveLength(1);
    const [asked] = await gateway.permissions('ask');
    expect(existsSync(join(gateway.home.workingDir, file))).toBe(false);
    expect(asked?.options).toContain(decision);
    expect((await gateway.messages('ask')).at(-1)).toMatchObject({ role: 'system', eventId });
    await gateway.decide(asked?.id ?? '', decision);
    const event = await gateway.ended(eventId);
    expect(existsSync(join(gateway.home.workingDir, file)), gateway.log).toBe(there);
    if (there) expect(event).toMatchObject({ state: 'answered', responseText: 'After the question.' });
    else expect(event.state).toMatch(/answered|failed|cancelled/);
    expect(await gateway.permissions('ask')).toEqual([]);
    model.use(['still here']);
    expect(await gateway.say('ask', 'go on'), gateway.log).toMatchObject({
      state: 'answered',
      responseText: 'still here',
    });
  });

  it.runIf(live)('still asks after a crash, and runs the tool once it is allowed', async () => {
    model.use([{ steps: [{ shell: 'echo once >> survived.txt' }] }, 'After the restart.']);
    const eventId = await gateway.post('survive', 'make it');
    await expect.poll(() => gateway.permissions('survive'), patience).toHaveLength(1);
    const [asked] = await gateway.permissions('survive');
    await gateway.kill();
    model.use((request) =>
      request.toolResults.length > 0
        ? 'After the restart.'
        : { steps: [{ shell: 'echo once >> survived.txt' }] },
    );
    await gateway.start({ PERMISSION_MODE: 'ask' });
    expect(await gateway.permissions('survive')).toMatchObject([{ id: asked?.id }]);
    await gateway.decide(asked?.id ?? '', 'allow');
    expect(await gateway.ended(eventId), gateway.log).toMatchObject({
      state: 'answered',
      responseText: 'After the restart.',
    });
    expect(existsSync(join(gateway.home.workingDir, 'survived.txt'))).toBe(true);
    expect(await gateway.permissions('survive')).toEqual([]);
  });

  it('stops when it is told to, and leaves nothing running', async () => {
    expect(await gateway.stop()).toBe(0);
    expect(gateway.processes()).toEqual([]);
  });

  /** A turn whose answer has begun and does not end. */
  async function hangingTurn(channel: string, text: string): Promise<string> {
    model.use([{ steps: [{ text: ['once ', 'upon '] }, { hang: true }] }]);
    model.forget();
    const eventId = await gateway.post(channel, text);
    await expect.poll(() => model.turns.at(-1)?.outcome, patience).toBe('hanging');
    return eventId;
  }

  /** A command that does not end. (Claude refuses a long `sleep`.) */
  function waitFor(name: string): string {
    return `touch ${name} && tail -f ${name}`;
  }

  function waiting(name: string): readonly string[] {
    const commands = gateway.processes().map(({ command }) => command.replaceAll('\0', ' '));
    return commands.filter((command) => command.includes(`tail -f ${name}`));
  }

  /** It does, and the gateway knows, where it can. */
  async function toolRuns(eventId: string, name: string): Promise<void> {
    await expect.poll(() => waiting(name), patience).not.toEqual([]);
    if (!tellsOfTools) return;
    await expect.poll(async () => (await gateway.lastTurn(eventId)).tools, patience).toHaveLength(1);
  }

  function lastTurn(): string {
    return model.turns.at(-1)?.rawBody ?? '';
  }

  function requestWith(text: string): string {
    return model.turns.find(({ prompt }) => prompt.includes(text))?.rawBody ?? '';
  }
});

describe.each(modes)('one conversation, handed from CLI to CLI, %s', (mode) => {
  let model: ScriptedModel;
  let gateway: LabGateway;

  beforeAll(async () => {
    model = await startScriptedModel();
    gateway = await LabGateway.make(model.url, {
      AGENT_BACKEND: 'claude',
      BACKEND_CLI_PATH: installedCli('claude'),
      BACKEND_MODEL: 'claude-sonnet-4-5',
      BACKEND_LIVE: mode === 'live' ? '1' : '0',
    });
    await gateway.persona('identity.md', 'PERSONA-OF-THE-TEST');
    await gateway.start();
  }, 120_000);

  afterAll(async () => {
    await gateway.remove();
    await model.close();
    expect(gateway.processes()).toEqual([]);
  }, 60_000);

  const apis: Readonly<Record<VendorName, ModelRequest['api']>> = {
    claude: 'anthropic',
    codex: 'openai-responses',
    gemini: 'gemini',
    opencode: 'openai-chat',
  };

  it('claude → codex → gemini → opencode → claude', async () => {
    for (const [index, backend] of vendorNames.entries()) {
      if (index > 0) {
        const changed = await gateway.say('relay', `/backend ${backend}`);
        expect(changed).toMatchObject({ state: 'answered' });
        expect(changed.responseText).toContain(backend);
      }
      model.use([`answer of ${backend}`]);
      model.forget();
      const event = await gateway.say('relay', `question to ${backend}`);
      expect(event, gateway.log).toMatchObject({ state: 'answered', responseText: `answer of ${backend}` });
      const request = model.turns.at(-1);
      expect(request?.api).toBe(apis[backend]);
      expect(request?.rawBody).toContain('PERSONA-OF-THE-TEST');
      expect(request?.prompt).toMatch(new RegExp(`question to ${backend}$`));
      for (const earlier of vendorNames.slice(0, index)) {
        expect(count(request?.rawBody ?? '', `question to ${earlier}`)).toBe(1);
        expect(count(request?.rawBody ?? '', `answer of ${earlier}`)).toBe(1);
      }
      // BACKEND_MODEL is claude's.
      if (backend === 'claude') expect(request?.model).toBe('claude-sonnet-4-5');
      else expect(request?.model).not.toContain('claude');
    }

    const claudes = await gateway.storedSession('relay', 'claude');
    await gateway.say('relay', '/backend claude');
    model.use(['welcome back']);
    model.forget();
    const back = await gateway.say('relay', 'what did I miss?');
    expect(back, gateway.log).toMatchObject({ state: 'answered', responseText: 'welcome back' });
    const { prompt = '', rawBody = '' } = model.turns.at(-1) ?? {};
    // In its own history, and not told again.
    expect(count(rawBody, 'question to claude')).toBe(1);
    expect(prompt).not.toContain('answer of claude');
    for (const other of vendorNames.slice(1)) {
      expect(count(prompt, `question to ${other}`)).toBe(1);
      expect(count(prompt, `answer of ${other}`)).toBe(1);
      expect(prompt).toContain(`assistant (${other})`);
    }
    expect(prompt).toMatch(/what did I miss\?$/);
    expect((await gateway.lastTurn(back.eventId)).setup).toMatchObject({
      backend: 'claude',
      resumed: claudes,
    });

    model.use(['nothing more']);
    model.forget();
    expect(await gateway.say('relay', 'and now?')).toMatchObject({ responseText: 'nothing more' });
    expect(model.turns.at(-1)?.prompt).not.toContain('conversation_so_far');

    const answers = (await gateway.messages('relay')).filter(({ role }) => role === 'assistant');
    expect(answers.map(({ backend }) => backend)).toEqual([...vendorNames, 'claude', 'claude']);
  });
});

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
