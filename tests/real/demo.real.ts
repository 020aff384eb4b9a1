import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { buildOnce, finished, startTurnout } from '../unit/cli/turnout.js';
import { setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

describe.each(vendorNames)('a demo with %s on the PATH', (backend) => {
  const lab = setUpLab(backend);

  it('hands over to it with one word, with the user’s own home and login, and back (16.6)', async () => {
    lab.model.use(['Hello from a real CLI.']);
    const { env, workingDir, model } = lab.home;
    const bin = join(workingDir, '..', 'demo-bin');
    mkdirSync(bin);
    symlinkSync(lab.config.cliPath, join(bin, backend));
    const place = { workingDir, env: { ...env, PATH: `${bin}${delimiter}${env['PATH']}` } };
    const child = startTurnout(place, ['demo', '--no-open', '--port', '0'], {
      env: { TURNOUT_DEMO_SPEED: '0' },
    });
    const done = finished(child);
    const line = await new Promise<string>((resolve) => child.stdout?.once('data', resolve));
    const [, url, token] = /^Open (\S+\/)#token=(\S+)/.exec(line) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    const ask = async (text: string): Promise<unknown> => {
      const request = { method: 'POST', headers, body: JSON.stringify({ text }) };
      const posted = await fetch(`${url}v1/channels/main/messages`, request);
      const { eventId } = (await posted.json()) as { eventId: string };
      const ended = await fetch(`${url}v1/events/${eventId}?wait=60`, { headers });
      return ((await ended.json()) as { responseText?: string }).responseText;
    };
    try {
      expect(await ask('say exactly: from the demo')).toBe('from the demo');
      expect(await ask(`/backend ${backend}`)).toContain(
        `${backend} answers from here on, in place of demo.`,
      );
      if (model !== undefined) await ask(`/model ${model}`);
      expect(await ask('Who are you?')).toBe('Hello from a real CLI.');
      // It was told what was said before.
      expect(JSON.stringify(lab.model.turns.at(-1))).toContain('from the demo');
      expect(await ask('/backend demo')).toContain('demo answers from here on');
      expect(await ask('say exactly: back')).toContain('back');
    } finally {
      child.kill('SIGTERM');
      expect(await done).toMatchObject({ code: 0 });
    }
  });
});
