import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { noteRecorded } from '../../../../src/cli/sessions/note-recorded.js';
import { knownSessions } from '../../../../src/cli/sessions/session-index.js';
import { it } from '../../../contract/stage.js';

describe('a session in the CLI’s own user interface (18.4)', () => {
  it('is kept if something was said in it, by the CLI’s record', async ({ stage }) => {
    const { home, workingDir } = stage;
    const folder = join(home, '.claude', 'projects', workingDir.replaceAll(/[^A-Za-z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    const file = join(folder, '11111111-2222-4333-8444-555555555555.jsonl');
    const record = { type: 'user', cwd: workingDir, message: { role: 'user', content: 'typed in there' } };
    writeFileSync(file, `${JSON.stringify(record)}\n`);
    utimesSync(file, 100, 100);
    const recorded = { runner: 'claude', config: { ...stage.configFor('claude'), home } };
    await noteRecorded({ ...recorded, begunAt: 100_001 });
    expect(knownSessions(home)).toEqual([]);
    await noteRecorded({ ...recorded, begunAt: 99_999 });
    expect(knownSessions(home)).toMatchObject([
      { backend: 'claude', title: 'typed in there', directory: workingDir },
    ]);
    await noteRecorded({ ...recorded, runner: 'codex', begunAt: 0 });
    expect(knownSessions(home)).toHaveLength(1);
  });
});
