import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { TerminalRun } from '../unit/cli/terminal-run.js';
import { buildOnce } from '../unit/cli/turnout.js';
import { processesOf, setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

const question = 'turnout: allow it? [y]es, ';

// All four CLIs can do all of it.
describe.each(vendorNames)('turnout run in a terminal, with %s', (backend) => {
  const lab = setUpLab(backend);
  const made = (file: string) => existsSync(join(lab.home.workingDir, file));

  it('--live shows the answer while it is written', async () => {
    lab.model.use([{ steps: [{ text: ['one, ', 'two, ', 'three.'], delayMs: 300 }] }]);
    const terminal = new TerminalRun(lab.place, ['run', 'count', '--live']);
    await terminal.until('one, ');
    expect(terminal.screen).not.toContain('three.');
    expect(await terminal.exitCode, terminal.screen).toBe(0);
    expect(terminal.screen).toContain('one, two, three.\r\n');
    expect(processesOf(lab.home)).toEqual([]);
  });

  // Both answers in one turn: a CLI takes seconds to start.
  it('--permission-mode ask runs the tool after a yes, and not after a no', async () => {
    lab.model.use([
      { steps: [{ shell: 'touch allowed.txt' }] },
      { steps: [{ shell: 'touch denied.txt' }] },
      'After both.',
    ]);
    const terminal = new TerminalRun(lab.place, ['run', 'use the tool', '--permission-mode', 'ask']);
    await terminal.until(question);
    expect(terminal.screen).toMatch(/needs your permission[\s\S]*touch allowed\.txt/);
    expect(made('allowed.txt')).toBe(false);
    terminal.type('y\r');
    await terminal.until(question, 2);
    expect(terminal.screen).toMatch(/needs your permission[\s\S]*touch denied\.txt/);
    expect(made('allowed.txt')).toBe(true);
    terminal.type('n\r');
    expect(await terminal.exitCode, terminal.screen).toBe(0);
    expect(terminal.screen).toMatch(/After both\.\r\n.*session \S+ · .*\r\n$/);
    expect(made('denied.txt')).toBe(false);
    expect(processesOf(lab.home)).toEqual([]);
  });
});
