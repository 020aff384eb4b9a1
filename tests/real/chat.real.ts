import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import type { Reply } from '../../src/lab/model/script.js';
import { TerminalStage } from '../cli/terminal-stage.js';
import { buildOnce } from '../unit/cli/turnout.js';
import { installedCli } from './installed-cli.js';
import { type Lab, processesOf, setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

const idle = 'Ask anything; /help lists the commands';

describe.each(vendorNames)('turnout chat, with %s (18.1)', (backend) => {
  const lab = setUpLab(backend);
  const made = (file: string) => existsSync(join(lab.home.workingDir, file));
  const start = (...args: readonly string[]) => new TerminalStage(lab.place, ['chat', ...args]);

  it('streams, remembers, is interrupted and goes on, and leaves nothing behind', async () => {
    lab.model.forget();
    lab.model.use([
      { steps: [{ text: ['**one**, ', 'two, ', 'three.'], delayMs: 300 }] },
      'The second answer.',
      { steps: [{ text: 'Working on it ' }, { hang: true }] },
      'After the stop.',
    ]);
    const chat = start();
    await chat.until(idle);
    chat.say('count FIRST-PROMPT');
    await chat.until('one, two, three.', 1, 60_000);
    expect(chat.isStyled('one, two', 'bold')).toBe(true);
    await chat.until(idle);
    chat.say('and now?');
    await chat.until('The second answer.');
    expect(lab.model.turns.at(-1)?.rawBody).toContain('FIRST-PROMPT');
    await chat.until(idle);
    chat.say('a long one');
    await chat.until('Working on it');
    chat.type('\u0003');
    await chat.until('Interrupted.');
    await chat.until(idle);
    chat.say('still there?');
    await chat.until('After the stop.');
    await leave(chat);
    await nothingLeft(lab);
    expect(chat.scrollback).toMatch(/To go on: turnout chat -b \w+ --resume \S+/);
  });

  it('asks before it runs a tool: yes and no', async () => {
    lab.model.use([
      { steps: [{ shell: 'touch allowed.txt' }] },
      { steps: [{ shell: 'touch denied.txt' }] },
      'After both.',
    ]);
    const chat = start('use the tools');
    await chat.until('needs your permission', 1, 60_000);
    await chat.until('touch allowed.txt');
    expect(made('allowed.txt')).toBe(false);
    await chat.untilAsked();
    chat.type('y\r');
    await chat.until('→ allowed');
    await chat.until('touch denied.txt');
    expect(made('allowed.txt')).toBe(true);
    await chat.untilAsked();
    chat.type('n\r');
    await chat.until('→ denied');
    await chat.until('After both.');
    await chat.until(/✓ \w+.*touch allowed.txt/);
    await chat.until(/✗ \w+.*touch denied.txt.*denied/);
    expect(made('denied.txt')).toBe(false);
    await leave(chat);
    await nothingLeft(lab);
  });

  it('what was typed into a turn that is stopped comes back into the field', async () => {
    const hangs: Reply = { steps: [{ text: 'Working on it ' }, { hang: true }] };
    // Codex asks the model again at once.
    lab.model.use([hangs, ...(backend === 'codex' ? [hangs] : []), 'In src/ then.']);
    const chat = start('use the tools');
    await chat.until('Working on it', 1, 60_000);
    chat.type('use src/');
    await chat.until(backend === 'gemini' ? 'Enter: after this turn' : 'Enter: into this turn');
    chat.type('\r');
    await chat.until(backend === 'gemini' ? 'queued: use src/' : 'said into the running turn');
    chat.type('\u0003');
    await chat.until('it is in the field again.');
    await chat.untilTrue(() => /\n❯ use src\/\n/.test(chat.screen), 'the words in the field');
    chat.type('\r');
    await chat.until('In src/ then.');
    await leave(chat);
    await nothingLeft(lab);
  });

  it('goes on with --continue and /sessions', async () => {
    lab.model.use(['The last answer.']);
    const chat = start('--continue');
    chat.say('go on');
    await chat.until('The last answer.', 1, 60_000);
    expect(lab.model.turns.at(-1)?.rawBody).toMatch(/FIRST-PROMPT|use the tools|use src/);
    await chat.until(idle);
    chat.say('/sessions');
    await chat.until(/FIRST-PROMPT|use the tools|use src/);
    chat.type('\u001b');
    await leave(chat);
    await nothingLeft(lab);
  });

  it('/backend hands over to another CLI, which knows what was said', async () => {
    const other: VendorName = backend === 'claude' ? 'codex' : 'claude';
    const second = await makeHome(other, lab.model.url);
    try {
      lab.model.use(['The word is noted.', 'You said it was XYZZY.']);
      lab.model.forget();
      const chat = new TerminalStage(withBoth(lab, other, second), ['chat']);
      await chat.until(idle);
      chat.say('the word is XYZZY');
      await chat.until('The word is noted.', 1, 60_000);
      await chat.until(idle);
      chat.say(`/backend ${other}`);
      await chat.until(`${other} answers from here on.`, 1, 60_000);
      chat.say('what was the word?');
      await chat.until('You said it was XYZZY.', 1, 60_000);
      const told = lab.model.turns.at(-1)?.rawBody ?? '';
      expect(told).toContain('the word is XYZZY');
      expect(told).toContain('The word is noted.');
      await leave(chat);
      await nothingLeft(lab);
    } finally {
      await second.remove();
    }
  });
});

/** Both CLIs in one place: the second one is found on PATH, and has a home of its own where it needs one. */
function withBoth({ place }: Lab, other: VendorName, { env, directory }: LabHome) {
  const { PATH: _, HOME: __, TURNOUT_HOME: ___, TURNOUT_LAB: ____, ...own } = env;
  const path = [dirname(installedCli(other)), place.env['PATH']].join(delimiter);
  const home = other === 'codex' ? { CODEX_HOME: join(directory, '.codex') } : {};
  return { ...place, env: { ...own, ...place.env, ...home, PATH: path } };
}

async function leave(chat: TerminalStage): Promise<void> {
  await chat.until(idle);
  chat.type('\u0004');
  expect(await chat.exitCode, chat.scrollback).toBe(0);
}

function nothingLeft({ home }: Lab): Promise<void> {
  return vi.waitFor(() => expect(processesOf(home)).toEqual([]), { timeout: 15_000 });
}
