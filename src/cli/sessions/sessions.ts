import { trustedHome } from '../../config/home-directory.js';
import { readEnvironment } from '../../config/read-environment.js';
import { shownId, wholeLine } from '../../core/text.js';
import { cutToColumns, widthOf } from '../../core/width.js';
import type { CommandPage } from '../command/command-page.js';
import { jsonFlags, wantsJson } from '../command/json-flags.js';
import { print } from '../command/print.js';
import { helpFlag, refuseOperands, runCommand } from '../command/run-command.js';
import { ago } from '../output/ago.js';
import { say } from '../output/say.js';
import { shortId } from '../output/short-id.js';
import { indexedDirectory, type KnownSession, knownSessions } from './session-index.js';

export const page = {
  usage: ['sessions [--all] [--json]'],
  about:
    "The sessions that you have had in this directory, the last one first, with their first words. `turnout run` and `turnout chat` keep them (sessions.jsonl in TURNOUT_HOME); where there is none of yours, those of the CLIs' own records.",
  flags: {
    all: {
      type: 'switch',
      short: 'a',
      about: "also those of other directories, and those of the CLIs' own records of this directory",
    },
    ...jsonFlags,
    ...helpFlag,
  },
  examples: [
    ['sessions'],
    ['run --continue "and then?"', 'the last one of this directory'],
    ['run --resume 3f2a9b1c-77aa "why?"', 'the beginning of its id is enough'],
  ],
  exitCodes: '0 done · 2 wrong usage',
} as const satisfies CommandPage;

/** A session of the index, or of a CLI's own record. */
interface Listed extends KnownSession {
  readonly recordedBy: 'turnout' | 'cli';
}

/** `turnout sessions`: lists what `--continue` and `--resume` can go on with. */
export function main(argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'sessions',
      page,
      read: (given): SessionsOptions => {
        refuseOperands(given);
        return { all: given.has('all'), json: wantsJson(given) };
      },
      run: list,
    },
    argv,
  );
}

interface SessionsOptions {
  readonly all: boolean;
  readonly json: boolean;
}

async function list(options: SessionsOptions): Promise<number> {
  const home = trustedHome(process.env);
  const here = indexedDirectory(process.cwd());
  const known = knownSessions(home).map((one): Listed => ({ ...one, recordedBy: 'turnout' }));
  const ours = known.filter(({ directory }) => directory === here);
  const others = known.filter(({ directory }) => directory !== here);
  const recorded = options.all || ours.length === 0 ? await recordedHere(here, ours) : [];
  const listed = [...ours, ...recorded].sort((one, other) => other.usedAt - one.usedAt);
  const all = options.all ? [...listed, ...others] : listed;
  return print(
    options.json
      ? `${JSON.stringify(all.map(asJson), null, 2)}\n`
      : text(all, here, options.all ? 0 : others.length),
  );
}

/** The CLIs' own records of this directory, without the sessions of the index. None of the CLIs is started. */
async function recordedHere(here: string, ours: readonly KnownSession[]): Promise<readonly Listed[]> {
  const { backendNames, createBackend, backendEntry } = await import('../../backends/registry.js');
  const { inherited } = await readEnvironment({
    environment: process.env,
    command: 'none',
    wrongFiles: 'report',
  });
  const lists = backendNames().map(async (backend): Promise<readonly Listed[]> => {
    const adapter = createBackend(backend, {
      cliPath: backendEntry(backend).command,
      workingDir: here,
      queryTimeoutMs: 600_000,
      allowedTools: [],
      maxTurns: 25,
      env: inherited,
    });
    try {
      const found = (await adapter.listSessions?.(here, mostRecorded)) ?? [];
      return found.map(({ sessionId, title, updatedAt }) => ({
        ...{ backend, sessionId, title },
        directory: here,
        usedAt: updatedAt,
        recordedBy: 'cli',
      }));
    } catch (error) {
      say(`the sessions of ${backend} can't be listed: ${wholeLine((error as Error).message)}`);
      return [];
    }
  });
  const known = new Set(ours.map(({ backend, sessionId }) => `${backend}\n${sessionId}`));
  const found = (await Promise.all(lists)).flat();
  return found.filter(({ backend, sessionId }) => !known.has(`${backend}\n${sessionId}`));
}

const mostRecorded = 20;

function asJson({ usedAt, ...session }: Listed) {
  return { ...session, usedAt: new Date(usedAt).toISOString() };
}

function text(sessions: readonly Listed[], here: string, elsewhere: number): string {
  const more = elsewhere === 0 ? '' : `${elsewhere} more in other directories: turnout sessions --all\n`;
  if (sessions.length === 0)
    return `There is no session in ${wholeLine(here)} yet: turnout run "…" begins one.\n${more}`;
  const lines: string[] = [];
  let directory = here;
  for (const session of sessions) {
    if (session.directory !== directory) lines.push('', wholeLine(session.directory));
    directory = session.directory;
    lines.push(row(session, process.stdout.columns || 80));
  }
  const legend = sessions.some(({ recordedBy }) => recordedBy === 'cli') ? byTheClis : '';
  return `${lines.join('\n')}\n\n${legend}${howTo}${more}`;
}

const byTheClis = '* by the records of the CLI itself\n';
const howTo = 'turnout run --resume <id> "…" goes on with one, --continue with the last one.\n';

function row({ usedAt, backend, sessionId, title, recordedBy }: Listed, columns: number): string {
  const name = `${backend}${recordedBy === 'cli' ? '*' : ''}`;
  const begin = `${ago(usedAt).padEnd(11)}  ${wholeLine(name).padEnd(9)} ${shownId(shortId(sessionId)).padEnd(16)}  `;
  // In a pipe the words stay whole.
  const words = wholeLine(title);
  return process.stdout.isTTY ? begin + cutToColumns(words, columns - widthOf(begin) - 1) : begin + words;
}
