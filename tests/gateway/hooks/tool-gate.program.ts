import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Client, eventually, type GatewayStage, setUpGateway } from '../stage.js';

// The demo agent speaks Claude's protocol: like Claude it asks our hook before each tool. tests/real has the four CLIs.

function gated(code: string, more: object = {}): GatewayStage {
  const stage = setUpGateway();
  stage.configure('hooks.json', JSON.stringify({ tool_start: [{ module: './gate.mjs', ...more }] }));
  stage.configure('gate.mjs', code);
  return stage;
}

const refuseNotes = `export default async ({ input }) => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  if (JSON.stringify(input).includes('forbidden')) return { action: 'block', reason: 'NOT-ON-A-FRIDAY' };
};\n`;

async function openQuestions(client: Client): Promise<readonly { id: string }[]> {
  return ((await client.call('/v1/permissions')) as { permissions: { id: string }[] }).permissions;
}

describe('a tool_start hook decides before the tool runs', () => {
  it('blocked: the tool does nothing, the agent is told why, the turn goes on [fault 13.6: a blocking hook slower than the tool]', async () => {
    const stage = gated(refuseNotes);
    const client = await stage.start();
    const blocked = await client.ask('a', 'write a note: forbidden');
    expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(false);
    expect(blocked).toMatchObject({ state: 'answered' });
    expect(blocked.responseText).toContain('NOT-ON-A-FRIDAY');

    // What the hook lets pass runs, and nobody is bothered.
    expect(await client.ask('a', 'write a note: allowed')).toMatchObject({ state: 'answered' });
    expect(readFileSync(join(stage.work, 'demo-note.txt'), 'utf8')).toContain('allowed');
    expect((await client.messages('a')).filter(({ role }) => role === 'system')).toEqual([]);
  });

  it.each([
    ['throws', `export default () => { throw new Error('x') };\n`, 'it threw Error'],
    ['takes too long', 'export default () => new Promise(() => {});\n', 'it took longer than 200 ms', 200],
    ['answers nonsense', 'export default () => ({ action: "perhaps" });\n', 'it did not answer as expected'],
    [
      'wants to change the call',
      'export default () => ({ payload: { input: {} } });\n',
      'it wants to change the call',
    ],
  ])(
    'no word, no tool: a hook that %s [fault 13.6: the blocking hook fails]',
    async (_, code, why, timeoutMs = 20_000) => {
      const stage = gated(code, { timeoutMs });
      const client = await stage.start();
      const event = await client.ask('a', 'write a note: unguarded');
      expect(event).toMatchObject({ state: 'answered' });
      expect(event.responseText).toContain(
        `The hook ./gate.mjs has to agree to each tool, and could not: ${why}.`,
      );
      expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(false);
    },
  );

  it('no word, no tool: a hook whose program has gone is named in a sentence', async () => {
    const stage = setUpGateway();
    const program = join(stage.root, 'config', 'gate.sh');
    stage.configure('gate.sh', '#!/bin/sh\n');
    chmodSync(program, 0o755);
    stage.configure('hooks.json', JSON.stringify({ tool_start: [{ command: ['./gate.sh'] }] }));
    const client = await stage.start();
    rmSync(program);
    const event = await client.ask('a', 'write a note: unguarded');
    expect(event.responseText).toMatch(
      /The hook \.\/gate\.sh has to agree to each tool, and could not: it could not be run: .*gate\.sh [^.]*\./,
    );
    expect(event.responseText).not.toMatch(/it \/|\.\./);
    expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(false);
  });

  it('a hook that is only told neither blocks nor delays, and its failure costs nothing', async () => {
    const stage = gated(`export default () => ({ action: 'block' });\n`, { blocking: false });
    const client = await stage.start();
    expect(await client.ask('a', 'write a note: told')).toMatchObject({ state: 'answered' });
    expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(true);
    expect((await client.ask('a', '/status')).responseText).not.toContain('(live)');
  });

  it('a hook that agrees gives no more than the permission mode does', async () => {
    const stage = gated('export default () => {};\n');
    const planning = await stage.start({ PERMISSION_MODE: 'plan' });
    expect(await planning.ask('a', 'write a note: planned')).toMatchObject({ state: 'answered' });
    expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(false);
    await planning.stop();

    // Without live sessions nobody is asked in `edits`, so nobody is asked because of a hook either.
    const editing = await stage.start({ PERMISSION_MODE: 'edits' });
    const command = await editing.ask('a', 'run a tool for 1 seconds');
    expect(command.responseText).toContain('The permission mode "edits" does not allow this');
    expect(await openQuestions(editing)).toEqual([]);
    expect(await editing.ask('a', 'write a note: edited')).toMatchObject({ state: 'answered' });
    expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(true);
  });

  it('in ask mode the hook comes first, once, and then the person', async () => {
    const stage = gated(`import { appendFileSync } from 'node:fs';
      export default ({ name, input }) => {
        appendFileSync(new URL('./seen', import.meta.url), name + '\\n');
        if (JSON.stringify(input).includes('forbidden')) return { action: 'block', reason: 'no' };
      };\n`);
    const client = await stage.start({ PERMISSION_MODE: 'ask' });
    expect(await client.ask('a', 'write a note: forbidden')).toMatchObject({ state: 'answered' });
    expect(await openQuestions(client)).toEqual([]);

    const id = await client.post('a', 'write a note: asked for');
    await eventually(async () => (await openQuestions(client)).length === 1);
    const [request] = await openQuestions(client);
    await client.call(`/v1/permissions/${request?.id}`, { body: { decision: 'allow' } });
    expect(await client.ended(id)).toMatchObject({ state: 'answered' });
    expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(true);
    expect(readFileSync(join(stage.root, 'config/seen'), 'utf8')).toBe('Write\nWrite\n');
  });
});
