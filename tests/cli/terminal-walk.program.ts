import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { pinnedVersion } from '../../src/backends/launch/vetted.js';
import { it, type Stage } from '../contract/stage.js';
import { buildOnce, demoAgent, type Place } from '../unit/cli/turnout.js';
import { TerminalStage } from './terminal-stage.js';

beforeAll(buildOnce);

const idle = 'Ask anything; /help lists the commands';

describe('a walk through a terminal (18)', () => {
  it('is docs/terminal.md: first run, chat, permission, hand-over, resume', async ({ stage }) => {
    const place = newMachine(stage);
    const walk = new Walk(stage);

    const init = walk.start(place, ['init']);
    await init.until('Enter for claude:');
    init.type('\r');
    await walk.ended(init, '$ turnout init');

    const chat = walk.start(place, []);
    await chat.until(idle);
    chat.say('remember that the release is on Friday');
    await chat.until(/ in, \d+ out/);
    chat.say('look around');
    await chat.until(/ in, \d+ out/, 2);
    chat.say('write a note: pack the bags');
    await chat.untilAsked();
    // The rows above it are those of the turns before.
    const question = chat.screen.slice(chat.screen.indexOf('❯ write a note'));
    chat.type('y\r');
    await chat.until(/ in, \d+ out/, 3);
    chat.say('/backend codex');
    await chat.until('codex answers from here on.');
    chat.say('when is the release?');
    await chat.until(/Claude was told that the release is on Friday\.\n[\d.]+ m?s$/m);
    await chat.until(idle);
    chat.type('\u0004');
    const talked = await walk.ended(chat, '$ turnout');

    const sessions = walk.start(place, ['sessions']);
    await walk.ended(sessions, '$ turnout sessions');
    const again = walk.start(place, ['run', '--continue', 'what do you remember?']);
    await walk.ended(again, '$ turnout run --continue "what do you remember?"');

    expect(readFileSync(join(place.workingDir, 'demo-note.txt'), 'utf8')).toBe('pack the bags\n');
    const [first = '', , listed = '', resumed = ''] = walk.parts;
    const [before = '', after = ''] = apart(talked, '❯ /backend codex');
    await expect(
      page({ first, chat: before, question: walk.told(question), handOver: after, listed, resumed }),
    ).toMatchFileSnapshot('../../docs/terminal.md');
  });
});

interface Parts {
  readonly first: string;
  readonly chat: string;
  readonly question: string;
  readonly handOver: string;
  readonly listed: string;
  readonly resumed: string;
}

function page({ first, chat, question, handOver, listed, resumed }: Parts): string {
  return `# A walk through the terminal

Recorded in a pseudo-terminal of 80 columns by tests/cli/terminal-walk.program.ts, which fails when this page is not what a
person sees any more (\`-u\` writes it again). The CLIs are stand-ins: the bundled demo agent answers as \`claude\`. Times, ids and
directories are replaced.

## First run

\`turnout init\` finds the CLIs, their versions and whether you are signed in, and asks which one is to answer. Here Enter was typed.

${fenced(first)}

## A conversation

\`turnout\` alone begins one. The agent is asked to remember something, to look around, and to write a file.

${fenced(chat)}

## A permission

Before the file was written, the window looked like this; \`y\` and Enter were typed.

${fenced(question)}

## Hand-over

In the same conversation: another CLI takes over, and is told what was said. Ctrl-D leaves.

${fenced(handOver)}

## Going on

Each of the two has its part of it. \`--continue\` takes the last session of this directory with the CLI that was chosen.

${fenced(listed)}

${fenced(resumed)}
`;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

function apart(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at);
  if (index < 0) throw new Error(`there is no ${at} in:\n${text}`);
  return [text.slice(0, index).trimEnd(), text.slice(index)];
}

/** What was seen of each program, in words that are the same the next time. */
class Walk {
  readonly parts: string[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  start(place: Place, args: readonly string[]): TerminalStage {
    return new TerminalStage(place, args, { columns: 80, rows: 40 });
  }

  async ended(terminal: TerminalStage, command: string): Promise<string> {
    expect(await terminal.exitCode, terminal.scrollback).toBe(0);
    const part = this.told(`${command}\n${terminal.transcript}`);
    this.parts.push(part);
    return part;
  }

  told(text: string): string {
    let told = text;
    for (const [index, id] of this.#sessionIds().entries()) {
      const other = `${String(index + 1).repeat(8)}-77aa-4d0e-9c55-0a1b2c3d4e5f`;
      told = told.replaceAll(id, other).replaceAll(id.slice(0, 13), other.slice(0, 13));
    }
    return told
      .replaceAll(this.#stage.home, '~/.turnout')
      .replaceAll(this.#stage.directory, '~')
      .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '⠋')
      .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, '0.4 s')
      .replaceAll(/[ \t]+$/gm, '');
  }

  /** In the order in which they began. */
  #sessionIds(): readonly string[] {
    try {
      const lines = readFileSync(join(this.#stage.home, 'sessions.jsonl'), 'utf8').split('\n');
      const ids = lines.filter((line) => line !== '').map((line): string => JSON.parse(line).id);
      return [...new Set(ids)];
    } catch {
      return [];
    }
  }
}

/** A machine with two CLIs, where nobody has used Turnout yet. */
function newMachine(stage: Stage): Place {
  const bin = stage.path('bin');
  mkdirSync(bin);
  for (const [name, target] of [
    ['node', process.execPath],
    ['env', '/usr/bin/env'],
  ] as const)
    symlinkSync(target, join(bin, name));
  const claude = `case "$1" in --version) echo "${pinnedVersion('claude')} (Claude Code)" ;; *) exec '${demoAgent}' "$@" ;; esac`;
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${claude}\n`, { mode: 0o755 });
  symlinkSync(join(import.meta.dirname, '../fixtures/programs/told-codex.mjs'), join(bin, 'codex'));
  const project = stage.path('project');
  mkdirSync(project);
  writeFileSync(join(project, 'README.md'), '# A project\n\nNothing is in it yet.\n');
  return {
    workingDir: project,
    env: {
      ...stage.env,
      PATH: bin,
      HOME: stage.directory,
      ANTHROPIC_API_KEY: 'dummy-key-of-a-test',
      TOLD_CODEX_VERSION: pinnedVersion('codex') ?? '',
    },
  };
}
