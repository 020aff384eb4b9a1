import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { demoAgent, type GatewayStage, setUpGateway } from '../stage.js';

// Codex can neither be limited to tools nor to a number of turns; OpenCode only to tools.

/** All backends are on the PATH, so that none is refused for being missing; what answers as codex fails, but has run. */
function stageWith(settings: Record<string, string>): GatewayStage {
  const stage = setUpGateway();
  const bin = join(stage.root, 'bin');
  mkdirSync(bin);
  for (const name of ['codex', 'opencode']) symlinkSync(demoAgent, join(bin, name));
  Object.assign(settings, { PATH: `${bin}:${process.env['PATH']}` });
  return stage;
}

describe('a backend that can’t keep a restriction', () => {
  it.each([
    [{ ALLOWED_TOOLS: 'Read' }, 'codex', 'ALLOWED_TOOLS'],
    [{ BACKEND_MAX_TURNS: '3' }, 'opencode', 'BACKEND_MAX_TURNS'],
    [{ ALLOWED_TOOLS: 'Read', BACKEND_MAX_TURNS: '3' }, 'codex', 'ALLOWED_TOOLS and BACKEND_MAX_TURNS'],
  ])(
    'with %j /backend %s is refused, and so are its turns [fault 13.7: /backend drops a restriction]',
    async (set, backend, lost) => {
      const settings: Record<string, string> = { ...set };
      const stage = stageWith(settings);
      const client = await stage.start(settings);
      const refused = `${backend} can't be restricted by ${lost}, and does not run without. Choose another backend, remove the setting, or set ALLOW_UNSUPPORTED=1 for the gateway.`;
      expect((await client.ask('a', `/backend ${backend}`)).responseText).toBe(
        `claude goes on answering. ${refused}`,
      );
      expect(await client.ask('a', 'say exactly: still claude')).toMatchObject({
        responseText: 'still claude',
      });
      stage.configure('channels/b/channel.md', `---\nbackend: ${backend}\n---\n`);
      expect(await client.ask('b', 'hello')).toMatchObject({ state: 'failed', error: { message: refused } });
      expect(stage.points.filter((point) => point === 'began')).toHaveLength(1);
    },
  );

  it('the tools of a channel are kept too, against a backend from the chat', async () => {
    const settings: Record<string, string> = {};
    const stage = stageWith(settings);
    const client = await stage.start(settings);
    stage.configure('channels/b/channel.md', '---\ntools: [Read]\n---\n');
    expect((await client.ask('b', '/backend codex')).responseText).toContain('"tools" of this channel');
    stage.configure('channels/c/channel.md', '---\nbackend: codex\ntools: [Read]\n---\n');
    expect(await client.ask('c', 'hello')).toMatchObject({ state: 'failed', error: { code: 'bad_request' } });
  });

  it('the default of BACKEND_MAX_TURNS is no restriction, and AGENT_BACKEND is only warned about (R7.3)', async () => {
    const settings: Record<string, string> = {};
    const stage = stageWith(settings);
    const client = await stage.start(settings);
    expect((await client.ask('a', '/backend codex')).responseText).toMatch(/^codex answers from here on/);
    await client.stop();
    const ignored = { AGENT_BACKEND: 'codex', ALLOWED_TOOLS: 'Read', BACKEND_MAX_TURNS: '3', ...settings };
    const codex = await stage.start(ignored);
    const event = await codex.ask('b', 'hello');
    expect(event.error?.message).not.toContain('ALLOW_UNSUPPORTED');
    expect(stage.log.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'ALLOWED_TOOLS is not supported by the codex backend and is ignored.',
        'BACKEND_MAX_TURNS is not supported by the codex backend and is ignored.',
      ]),
    );
  });

  it('with ALLOW_UNSUPPORTED it runs, and the channel is told, once', async () => {
    const settings: Record<string, string> = { ALLOWED_TOOLS: 'Read', ALLOW_UNSUPPORTED: '1' };
    const stage = stageWith(settings);
    const client = await stage.start(settings);
    const told = "codex can't be restricted by ALLOWED_TOOLS, and runs here without.";
    expect((await client.ask('a', '/backend codex')).responseText).toContain(told);
    stage.configure('channels/b/channel.md', '---\nbackend: codex\n---\n');
    await client.ask('b', 'hello');
    await client.ask('b', 'hello');
    const notices = (await client.messages('b')).filter(({ text }) => text === told);
    expect(notices).toMatchObject([{ role: 'system' }]);
    expect(stage.points).toContain('began');
  });
});

describe('what /model and /thinking have set', () => {
  it('is taken back by /backend, which names it', async () => {
    const settings: Record<string, string> = {};
    const stage = stageWith(settings);
    const client = await stage.start(settings);
    await client.ask('a', '/model demo-large');
    await client.ask('a', '/thinking high');
    expect((await client.ask('a', '/backend codex')).responseText).toContain(
      ' /model demo-large and /thinking high were for claude and are taken back: set again what is wanted here.',
    );
    expect((await client.ask('a', '/status')).responseText).toContain('model: default\nthinking: default');
    expect((await client.ask('a', '/backend claude')).responseText).not.toContain('taken back');
    await client.ask('a', '/thinking low');
    expect((await client.ask('a', '/backend codex')).responseText).toContain(
      ' /thinking low was for claude and is taken back',
    );
  });
});

describe('the path and the model of AGENT_BACKEND', () => {
  it('are not used for another backend, which the chat and the log are told by name (R7.3, O2, O5)', async () => {
    const settings: Record<string, string> = { BACKEND_MODEL: 'demo-large' };
    const stage = stageWith(settings);
    const client = await stage.start(settings);
    const told = 'BACKEND_CLI_PATH and BACKEND_MODEL belong to claude and are not used for codex.';
    expect((await client.ask('a', '/backend codex-cli')).responseText).toContain(
      `codex answers from here on, in place of claude. It is told what was said so far. ${told}`,
    );
    expect((await client.ask('a', '/status')).responseText).toContain('model: default');
    stage.configure('channels/b/channel.md', '---\nbackend: opencode-cli\n---\n');
    expect((await client.ask('b', '/status')).responseText).toContain('backend: opencode');
    await client.ask('b', 'hello');
    const warned = stage.log.filter(({ level }) => level === 'warn').map(({ message }) => String(message));
    for (const name of ['codex', 'opencode'])
      expect(warned.filter((line) => line.includes(`not used for ${name}.`))).toHaveLength(1);
  });
});
