import { describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../../src/config/log.js';
import type { PermissionRequestEvent } from '../../../../src/core/chat-event.js';
import { parseJson } from '../../../../src/core/json.js';
import type { TurnSettings } from '../../../../src/gateway/agents/turn-settings.js';
import { HookManager } from '../../../../src/gateway/hooks/hook-manager.js';
import { ToolGate } from '../../../../src/gateway/turns/tool-gate.js';
import { patience } from '../../../machine-speed.js';
import { directoryWith } from '../temporary-directory.js';

const settings = { permissionMode: 'bypass', asksPerson: false } as TurnSettings;
const command = { command: 'make' };

async function gateWith(code: string) {
  const configDir = await directoryWith({ 'gate.mjs': code });
  const hooks = new HookManager({
    hooks: { tool_start: [{ module: './gate.mjs', timeoutMs: 5000 }] },
    log: createLog('silent'),
    configDir,
  });
  const stopped: string[] = [];
  const facts = { channel: 'a', eventId: 'evt_1' };
  return { gate: new ToolGate(hooks, facts, (reason) => stopped.push(reason)), stopped, hooks };
}

function start(id: string, input: unknown = command) {
  return { type: 'tool_start', id, name: 'shell', input } as const;
}

function request(toolId: string, more: Partial<PermissionRequestEvent> = {}): PermissionRequestEvent {
  const base = { type: 'permission_request', id: 'q', tool: 'shell', input: command } as const;
  return { ...base, options: ['allow', 'deny'], toolId, confirmation: true, ...more };
}

const refuse = `export default () => ({ action: 'block', reason: 'no' });\n`;
const count = `globalThis.asked = 0;
export default () => { globalThis.asked += 1; };\n`;

describe('the gate of a turn', () => {
  it('a tool that the CLI asks about is refused, and the turn goes on', async () => {
    const { gate, stopped } = await gateWith(refuse);
    gate.started(start('t'));
    expect(await gate.requested(request('t'), settings)).toEqual({ type: 'deny', reason: 'no' });
    await gate.ended('t');
    expect(stopped).toEqual([]);
  });

  it('a tool that the CLI does not ask about: a refusal stops the turn, at its end at the latest', async () => {
    const { gate, stopped } = await gateWith(refuse);
    gate.started(start('t'));
    await gate.ended('t');
    expect(stopped).toEqual(['shell: no']);
  });

  it('one that is refused while it runs stops the turn without waiting for its end', async () => {
    const { gate, stopped } = await gateWith(refuse);
    gate.started(start('t'));
    await vi.waitFor(() => expect(stopped).toEqual(['shell: no']), patience);
  });

  it('hooks are asked once about a tool, and again when the CLI asks for something else', async () => {
    const { gate } = await gateWith(count);
    const asked = () => (globalThis as { asked?: number }).asked;
    gate.started(start('t'));
    expect(await gate.requested(request('t'), settings)).toEqual({ type: 'allow' });
    await gate.requested(request('t'), settings);
    expect(asked()).toBe(1);
    await gate.requested(request('t', { input: { command: 'make install' } }), settings);
    expect(asked()).toBe(2);

    // Gemini asks before it announces the tool.
    await gate.requested(request('u'), settings);
    gate.started(start('u'));
    expect(asked()).toBe(3);
  });

  it('what the mode does not allow by itself goes to a person, or is refused where nobody is asked', async () => {
    const { gate } = await gateWith(count);
    const real: PermissionRequestEvent = { ...request('t'), options: ['allow', 'allow_always', 'deny'] };
    const { confirmation: _, ...unconfirmed } = real;
    expect(await gate.requested(unconfirmed, { ...settings, asksPerson: true })).toEqual({
      type: 'ask_person',
    });
    expect(await gate.requested(unconfirmed, { ...settings, permissionMode: 'edits' })).toEqual({
      type: 'deny',
      reason: 'The permission mode "edits" does not allow this, and nobody is asked.',
    });
  });

  it('an input that can’t be told to the hook is refused [fault 13.6: a tool input that no hook can be told]', async () => {
    const { gate } = await gateWith(count);
    const text = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    for (const [id, parse] of [
      ['t', JSON.parse],
      ['u', parseJson],
    ] as const) {
      gate.started(start(id, parse(text)));
      expect(await gate.requested(request(id, { input: parse(text) }), settings)).toMatchObject({
        type: 'deny',
      });
    }
  });

  it('a gateway that closes allows nothing any more', async () => {
    const { gate, hooks } = await gateWith(count);
    await hooks.close();
    expect(await gate.requested(request('t'), settings)).toMatchObject({ type: 'deny' });
  });
});
