import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { type DatabaseDamage, damageSession, type FileDamage } from './damage-session.js';
import { isLeftOut } from './is-left-out.js';
import { LabGateway } from './lab-gateway.js';

/** Damages after which a CLI can't go on. */
const fatal: Readonly<Record<VendorName, FileDamage | DatabaseDamage>> = {
  claude: 'can’t be read',
  codex: 'is binary garbage',
  gemini: 'has no line that is JSON',
  opencode: 'has parts that are not JSON',
};

const modes = ['one-shot', 'live'] as const;

describe.each(vendorNames.flatMap((backend) => modes.map((mode) => [backend, mode] as const)))(
  'a channel whose session with %s (%s) is damaged',
  (backend, mode) => {
    let model: ScriptedModel;
    let gateway: LabGateway;

    beforeAll(async () => {
      model = await startScriptedModel();
      gateway = await LabGateway.with(backend, model.url, mode === 'live');
    }, 120_000);

    afterAll(async () => {
      await gateway.remove();
      await model.close();
    }, 60_000);

    it.skipIf(isLeftOut(backend, mode))(
      'is answered in a new session, once, and told once that the old one was lost (R10)',
      async () => {
        await gateway.start();
        model.use(['noted']);
        await gateway.say('home', 'remember 4711');
        expect(await gateway.say('home', 'and 4712'), gateway.log).toMatchObject({ state: 'answered' });
        const lost = (await gateway.storedSession('home', backend)) ?? '';
        await gateway.stop();
        await damageSession(backend, gateway.home.directory, lost, fatal[backend]);
        await gateway.start();
        model.forget();
        model.use(['found again']);
        expect(await gateway.say('home', 'do you remember?'), gateway.log).toMatchObject({
          ...{ state: 'answered', responseText: 'found again', attempts: 1 },
        });
        expect(model.turns).toHaveLength(1);
        expect(model.turns.at(-1)?.prompt).toMatch(/conversation_so_far.*4711.*4712.*do you remember\?$/s);
        const next = await gateway.storedSession('home', backend);
        expect(next).not.toBe(lost);

        model.use(['and on']);
        const later = await gateway.say('home', 'go on');
        expect(later, gateway.log).toMatchObject({ state: 'answered', responseText: 'and on', attempts: 1 });
        expect((await gateway.lastTurn(later.eventId)).setup?.resumed).toBe(next);
        expect(model.turns.at(-1)?.rawBody).toContain('found again');
        const said = await gateway.messages('home');
        expect(said.slice(4).map(({ role, text }) => [role, text])).toEqual([
          ['user', 'do you remember?'],
          ['system', expect.stringMatching(/^The session with \w+ could not be resumed \(/)],
          ['assistant', 'found again'],
          ['user', 'go on'],
          ['assistant', 'and on'],
        ]);
      },
    );
  },
);
