import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import type { LabHome } from '../../src/lab/home.js';
import { NativeRun, pause } from '../unit/cli/native-run.js';
import { buildOnce } from '../unit/cli/turnout.js';
import { type Lab, processesOf, setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

/** The words of an empty input line. */
const empty: Readonly<Record<VendorName, string | RegExp>> = {
  claude: /^❯\s*$/m,
  codex: 'Ask Codex to do anything',
  gemini: 'Type your message',
  opencode: /Ask anything|ctrl\+p commands/,
};

/** A person has answered the questions of a first start already: theme, key, and trust in the directory. */
function answerFirstQuestions(backend: VendorName, { directory, workingDir, env }: LabHome) {
  if (backend === 'gemini') return { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  if (backend !== 'claude') return {};
  const key = env['ANTHROPIC_API_KEY'] ?? '';
  const answers = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [workingDir]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  const file = join(directory, '.claude.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(answers));
  return {};
}

describe.each(vendorNames)('turnout chat --native, with %s (O1)', (backend) => {
  const lab = setUpLab(backend);
  let variables = {};
  beforeAll(() => {
    variables = answerFirstQuestions(backend, lab.home);
  });
  const chat = (...args: readonly string[]) =>
    NativeRun.chat({ ...lab.place, env: { ...lab.place.env, ...variables } }, args);

  it('answers what is typed, follows the window, takes Ctrl-C itself, and leaves nothing behind', async () => {
    lab.model.use(['The scripted answer.']);
    const terminal = chat();
    await ready(terminal, backend);
    await say(terminal, 'say it');
    await terminal.until('The scripted answer.');
    await terminal.until(empty[backend]);

    // All of them draw something at the right edge.
    expect(widest(terminal)).toBeLessThanOrEqual(100);
    terminal.resize(120, 45);
    await vi.waitFor(() => expect(widest(terminal)).toBeGreaterThan(115), { timeout: 10_000 });

    await terminal.type('a draft that goes');
    await terminal.until('a draft that goes');
    await terminal.type('\u0003');
    await vi.waitFor(() => expect(terminal.screen.text).not.toContain('a draft that goes'), {
      timeout: 10_000,
    });
    expect(processesOf(lab.home).some(({ pid }) => pid === terminal.pid)).toBe(true);

    expect(await leave(terminal)).toBe(0);
    expect(terminal.screen.modes, 'modes that are left on').not.toContain(1049);
    expect(terminal.screen.modes).toContain(25);
    await nothingLeft(lab);
  });

  it('begins with a prompt and a system prompt, and goes on with --continue', async () => {
    lab.model.use(['The first answer.', 'The second answer.']);
    lab.model.forget();
    const first = chat('--system-prompt', 'Speak like XYZZY.', '--prompt=-dash');
    await first.until('The first answer.', 60_000);
    const [asked] = lab.model.turns;
    expect(asked?.rawBody).toContain('Speak like XYZZY.');
    expect(asked?.prompt.endsWith('-dash'), asked?.prompt).toBe(true);
    await first.until(empty[backend]);
    expect(await leave(first)).toBe(0);

    // `help`, `mcp` and `resume` are commands of the CLIs.
    const word = { claude: 'mcp', codex: 'resume', gemini: 'mcp', opencode: 'mcp' }[backend];
    const resumesWithPrompt = backend !== 'opencode';
    const system = ['--system-prompt', 'Now like PLUGH.'];
    const second = chat(
      '--continue',
      ...system,
      '--permission-mode',
      'plan',
      ...(resumesWithPrompt ? [word] : []),
    );
    await second.until('The first answer.', 60_000);
    if (!resumesWithPrompt) await say(second, word);
    await second.until('The second answer.', 60_000);
    const again = lab.model.turns.at(-1);
    expect(again?.prompt.trim()).toMatch(new RegExp(`${word}$`));
    expect(again?.rawBody).toContain('Now like PLUGH.');
    expect(again?.rawBody).toContain('-dash');
    expect(again?.rawBody).toContain('The first answer.');
    await second.until(empty[backend]);
    expect(await leave(second)).toBe(0);
    await nothingLeft(lab);
  });

  it('SIGTERM and a closed terminal end the UI', async () => {
    const told = chat();
    await ready(told, backend);
    process.kill(told.pid, 'SIGTERM');
    expect(await told.exitCode).toBe(endedBySigterm[backend]);
    await nothingLeft(lab);

    const closed = chat();
    await ready(closed, backend);
    closed.hangUp();
    await nothingLeft(lab);
  });
});

/** What each CLI itself exits with. */
const endedBySigterm: Readonly<Record<VendorName, number>> = {
  claude: 143,
  codex: 143,
  gemini: 0,
  opencode: 0,
};

async function ready(terminal: NativeRun, backend: VendorName): Promise<void> {
  await terminal.until(empty[backend], 60_000);
}

/** Enter comes when the words are there: Gemini takes one that comes at once for a part of a paste. */
async function say(terminal: NativeRun, words: string): Promise<void> {
  await terminal.type(words);
  await terminal.until(words);
  await pause(500);
  await terminal.type('\r');
}

/** Ctrl-C until it is over: the first one may clear the line, or ask for another. */
async function leave(terminal: NativeRun): Promise<number> {
  let code: number | undefined;
  void terminal.exitCode.then((ended) => {
    code = ended;
  });
  for (let tries = 0; code === undefined && tries < 20; tries += 1) {
    await terminal.type('\u0003').catch(() => undefined);
    await Promise.race([terminal.exitCode, new Promise((resolve) => setTimeout(resolve, 400))]);
  }
  return terminal.exitCode;
}

function widest({ screen }: NativeRun): number {
  return Math.max(...screen.text.split('\n').map((line) => [...line].length));
}

function nothingLeft({ home }: Lab): Promise<void> {
  return vi.waitFor(() => expect(processesOf(home)).toEqual([]), { timeout: 15_000 });
}
