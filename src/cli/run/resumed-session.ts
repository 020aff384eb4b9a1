import { TurnoutError } from '../../core/errors.js';
import { shownId } from '../../core/text.js';
import { ago } from '../output/ago.js';
import { shortId } from '../output/short-id.js';
import { indexedDirectory, type KnownSession, knownSessions } from '../sessions/session-index.js';

/** What the flags of a turn say of its session. */
interface SessionFlags {
  readonly backend: string | undefined;
  readonly sessionId?: string | undefined;
  readonly continueLast?: boolean | undefined;
}

/**
 * `--resume`: the beginning of an id is enough for a session of the index, and its backend is known. An id that the index does
 * not have is the CLI's to find.
 */
export function withNamedSession<F extends SessionFlags>(flags: F, home: string): F {
  const { sessionId: written, backend } = flags;
  if (written === undefined) return flags;
  const candidates = knownSessions(home).filter((one) => backend === undefined || one.backend === backend);
  const exact = candidates.filter(({ sessionId }) => sessionId === written);
  const short = written.replace(/…$/, '');
  const found =
    exact.length > 0 || short.length < leastLetters
      ? exact
      : candidates.filter(({ sessionId }) => sessionId.startsWith(short));
  const [session, ...others] = found;
  if (session === undefined) return flags;
  if (others.length > 0) throw ambiguous(written, found);
  return { ...flags, sessionId: session.sessionId, backend: session.backend };
}

/**
 * `--continue`: the last session of this directory and backend. A directory without one of ours is left to the CLI's own records.
 * `note` tells of a later session with another backend, where nobody has asked for this one.
 */
export function withContinuedSession<F extends SessionFlags>(
  flags: F,
  { home, cwd, backend }: { readonly home: string; readonly cwd: string; readonly backend: string },
): { readonly flags: F; readonly note?: string } {
  if (!flags.continueLast) return { flags };
  const directory = indexedDirectory(cwd);
  const here = knownSessions(home).filter((session) => session.directory === directory);
  const own = here.find((session) => session.backend === backend);
  const [last] = here;
  const other =
    flags.backend !== undefined || last === undefined || last.backend === backend
      ? {}
      : {
          note: `the last session here is ${last.backend}’s (${ago(last.usedAt)}): --backend ${last.backend} goes on with it.`,
        };
  if (own === undefined) return { flags, ...other };
  return { flags: { ...flags, sessionId: own.sessionId, continueLast: false }, ...other };
}

const leastLetters = 4;

function ambiguous(written: string, found: readonly KnownSession[]): TurnoutError {
  const list = found
    .slice(0, 10)
    .map(({ backend, sessionId, title }) => `  ${shownId(shortId(sessionId))}  ${backend}  ${title}`)
    .join('\n');
  return new TurnoutError(
    'bad_request',
    `--resume ${JSON.stringify(written)} fits ${found.length} sessions:\n${list}`,
    { hint: 'Write more of its id: `turnout sessions --json` has it whole.' },
  );
}
