import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { isLeftOut } from './is-left-out.js';
import { LabGateway } from './lab-gateway.js';

const modes = ['live', 'one-shot'] as const;
const all = modes.flatMap((mode) => vendorNames.map((backend) => [backend, mode] as const));
const patience = { timeout: 60_000, interval: 5 };

/** The words by which each CLI's record names the shell tool; Gemini's names none before it has ended. */
const named: Readonly<Record<VendorName, RegExp>> = {
  claude: /tools had begun:\n- Bash .*effects/,
  codex: /tools had begun:\n- (exec|shell) .*effects/,
  gemini: /tools (had begun:\n- run_shell_command .*effects|may have begun)/,
  opencode: /tools had begun:\n- bash .*effects/,
};

// The gateway is frozen before the model asks for a tool: it is killed without having heard of it, whatever a CLI tells.
describe.each(all)('a gateway that dies before %s (%s) tells of its tool', (backend, mode) => {
  let model: ScriptedModel;
  let gateway: LabGateway;

  beforeAll(async () => {
    model = await startScriptedModel();
    gateway = await LabGateway.with(backend, model.url, mode === 'live');
    await gateway.start();
  }, 120_000);

  afterAll(async () => {
    await gateway.remove();
    await model.close();
  }, 60_000);

  /** Resolves to the event when the agent has asked the model, and the gateway hears nothing any more. */
  async function freezeInTurn(channel: string, text: string, reply: () => Promise<void>): Promise<string> {
    model.forget();
    model.use(async ({ toolResults }) => {
      if (toolResults.length > 0) return 'After the tool.';
      await reply();
      return { steps: [{ text: 'I begin. ' }, { shell: `echo ran >> effects-${channel}; sleep 20` }] };
    });
    const eventId = await gateway.post(channel, text);
    await model.turn(1);
    await expect.poll(async () => (await gateway.lastTurn(eventId)).setup, patience).toBeDefined();
    process.kill(gateway.pid, 'SIGSTOP');
    return eventId;
  }

  function effects(channel: string): string {
    try {
      return readFileSync(join(gateway.home.workingDir, `effects-${channel}`), 'utf8');
    } catch {
      return '';
    }
  }

  it.each(['fresh', 'resumed'])(
    'repeats no tool of a %s session, and tells the channel [fault 13.8: killed before a tool was journalled]',
    async (channel) => {
      if (channel === 'resumed') {
        model.use((request) =>
          request.toolResults.length > 0 ? 'Done.' : { steps: [{ shell: 'echo before >> earlier' }] },
        );
        expect(await gateway.say(channel, 'do it'), gateway.log).toMatchObject({ state: 'answered' });
      }
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const eventId = await freezeInTurn(channel, 'do it', () => gate);
      open();
      await expect.poll(() => effects(channel), patience).toBe('ran\n');
      await gateway.kill();
      model.use(['It was run again.']);
      model.forget();
      await gateway.start();
      expect(await gateway.ended(eventId), gateway.log).toMatchObject({ state: 'failed' });
      const told = (await gateway.messages(channel)).at(-1)?.text;
      expect(told).toMatch(named[backend]);
      expect(told).toContain('/retry');
      expect(model.turns).toEqual([]);
      expect(effects(channel)).toBe('ran\n');
    },
  );

  it.skipIf(isLeftOut(backend, mode))(
    'runs a turn again by itself whose agent had begun nothing',
    async () => {
      const eventId = await freezeInTurn('idle', 'do it', () => new Promise(() => undefined));
      await gateway.kill();
      model.use(['Answered after all.']);
      await gateway.start();
      expect(await gateway.ended(eventId), gateway.log).toMatchObject({
        state: 'answered',
        responseText: 'Answered after all.',
      });
    },
  );
});
