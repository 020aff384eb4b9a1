import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildOnce, turnout } from '../unit/cli/turnout.js';
import { setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

describe.each(['one-shot', 'live'] as const)("Claude's own flags with the real Claude, %s", (way) => {
  const lab = setUpLab('claude');
  const live = way === 'live' ? ['--live'] : [];

  it('are taken as they were typed (O5, O14)', async () => {
    const other = join(lab.home.directory, 'other');
    mkdirSync(other);
    const sessionId = '0199a213-81c0-7800-8aa1-bbab2a035a53';
    const own = [
      ...['--add-dir', other, '--session-id', sessionId, '--strict-mcp-config', '--setting-sources', 'user'],
      ...['--max-thinking-tokens', '2000', '--fallback-model', 'haiku', '--disable-slash-commands'],
      ...['--exclude-dynamic-system-prompt-sections', '--name', 'a name', '--betas', 'some-beta'],
      ...['--tools', 'Read', 'Bash', '--no-session-persistence', '--debug'],
    ];
    lab.model.use(['Done.']);
    lab.model.forget();
    const done = await turnout(lab.place, ['run', '-p', 'go', ...live, '--json', ...own]);
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ responseText: 'Done.', sessionId });
    const [turn] = lab.model.turns;
    expect(turn?.prompt).toContain('go');
    expect(turn?.rawBody).toContain(other);
  });

  it('fork a session that is resumed, with a new id (O5)', async () => {
    lab.model.use(['One.']);
    const first = JSON.parse((await turnout(lab.place, ['run', 'go', ...live, '--json'])).stdout);
    lab.model.use(['Two.']);
    const flags = ['--resume', first.sessionId, '--fork-session', '--json', ...live];
    const fork = await turnout(lab.place, ['run', 'go on', ...flags]);
    expect(fork.code, fork.stderr).toBe(0);
    const { sessionId, responseText } = JSON.parse(fork.stdout);
    expect(responseText).toBe('Two.');
    expect(sessionId).not.toBe(first.sessionId);
  });
});
