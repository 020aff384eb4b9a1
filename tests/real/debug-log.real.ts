import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { isSecretName } from '../../src/config/redact.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { isLeftOut } from './is-left-out.js';
import { LabGateway, secrets } from './lab-gateway.js';

const all = vendorNames.flatMap((backend) =>
  (['one-shot', 'live'] as const).map((mode) => [backend, mode] as const),
);

describe.each(all)('the log of a gateway with %s, %s', (backend, mode) => {
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

  /** One turn with a canary in everything that is said, and one that fails with one. */
  async function talk(level: string): Promise<string> {
    const before = gateway.log.length;
    await gateway.start({ LOG_LEVEL: level });
    const shell = `echo CANARY-INPUT > /dev/null; printf 'CAN%s\\n' ARY-OUTPUT`;
    model.use([{ steps: [{ thinking: 'CANARY-THOUGHT' }, { shell }] }, 'CANARY-ANSWER']);
    expect(await gateway.say(`a-${level}`, 'CANARY-PROMPT'), gateway.log).toMatchObject({
      state: 'answered',
      responseText: expect.stringContaining('CANARY-ANSWER'),
    });
    model.use([{ status: 401, message: 'CANARY-REFUSED' }]);
    expect(await gateway.say(`b-${level}`, 'CANARY-LATER')).toMatchObject({ state: 'failed' });
    await gateway.stop();
    return gateway.log.slice(before);
  }

  it('holds every raw line and its events at debug, and no secret (S9)', async () => {
    const log = await talk('debug');
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const printed = lines.filter(({ direction }) => direction === 'in');
    const events = printed.map((entry) => JSON.stringify(entry.events)).join('\n');
    for (const canary of ['CANARY-INPUT', 'CANARY-OUTPUT', 'CANARY-ANSWER']) {
      expect(
        printed.some(({ line }) => line.includes(canary)),
        canary,
      ).toBe(true);
      expect(events, canary).toContain(canary);
    }
    const given = lines.filter(({ direction, type }) => direction === 'out' || type === 'spawn');
    expect(JSON.stringify(given)).toContain('CANARY-PROMPT');
    expect(lines.find(({ message }) => message === 'agent starts').command).toBeTruthy();
    expect(lines.filter(({ message }) => message === 'agent ended').length).toBeGreaterThan(0);
    const hidden = Object.entries(gateway.home.env).flatMap(([name, value]) =>
      isSecretName(name) ? [value] : [],
    );
    for (const secret of [...Object.values(secrets), ...hidden]) expect(log).not.toContain(secret);
    const ends = lines
      .flatMap(({ events: became = [] }) => became)
      .filter(({ type }) => type === 'complete' || type === 'ending' || type === 'error');
    expect(ends.length).toBeGreaterThan(1);
  }, 180_000);

  it.skipIf(isLeftOut(backend, mode))(
    'holds nothing of a prompt or an answer otherwise, in a failure neither (S9)',
    async () => {
      const log = await talk('info');
      expect(log).toContain('turn ended');
      expect(log).not.toContain('CANARY');
    },
    180_000,
  );
});
