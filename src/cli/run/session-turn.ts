import type { ChatEvent, PermissionRequestEvent } from '../../core/chat-event.js';
import { failureEvent, TurnoutError } from '../../core/errors.js';
import { openOneShotSession } from '../../sessions/open-one-shot.js';
import type { BackendSession, CompleteSessionOptions } from '../../sessions/types.js';
import type { Terminal } from '../output/terminal.js';
import type { Answer } from './ask-in-terminal.js';
import type { ShownTurn, TurnHooks } from './show-turn.js';

export interface TurnExtras {
  /** Every permission request is answered with no. */
  readonly denyQuestions?: boolean;
}

/** Runs one turn in a session of its own, and answers its permission requests in the terminal. */
export function sessionTurn(
  prompt: string,
  options: CompleteSessionOptions,
  { denyQuestions = false }: TurnExtras = {},
): ShownTurn {
  let session: BackendSession | undefined;

  async function* run({ signal, trace }: TurnHooks): AsyncGenerator<ChatEvent> {
    try {
      session = await open({ ...options, trace }, signal);
      yield* session.send(prompt, { signal });
    } catch (error) {
      if (!(error instanceof TurnoutError)) throw error;
      yield failureEvent(error);
    } finally {
      await session?.close();
    }
  }

  async function onPermission(
    asked: PermissionRequestEvent,
    terminal: Terminal,
    withdrawn: AbortSignal,
  ): Promise<void> {
    const answer = await answerTo(asked, terminal, withdrawn, { ...options, denyQuestions });
    if (answer === undefined) return;
    // If the turn has ended meanwhile, nothing is left to answer.
    await session?.answerPermission(asked.id, answer.decision, answer.message).catch(() => undefined);
  }

  return { prompt, options, run, onPermission };
}

type Asking = Pick<TurnExtras, 'denyQuestions'> & Pick<CompleteSessionOptions, 'cwd' | 'config'>;

/** Asks the person at the terminal, or nobody if `denyQuestions` is set. */
export async function answerTo(
  asked: PermissionRequestEvent,
  terminal: Terminal,
  withdrawn: AbortSignal,
  { denyQuestions = false, cwd, config }: Asking,
): Promise<Answer | undefined> {
  if (denyQuestions) return no;
  const { askInTerminal } = await import('./ask-in-terminal.js');
  return askInTerminal(asked, cwd ?? config.workingDir, terminal, withdrawn);
}

/** What keeps processes running is loaded only for a live session. */
async function open(
  options: CompleteSessionOptions,
  signal: AbortSignal | undefined,
): Promise<BackendSession> {
  if (options.live === false) return openOneShotSession(options);
  const { openSession } = await import('../../sessions/sessions.js');
  return openSession(options, { signal });
}

const no = { decision: 'deny', message: 'Nobody is asked: what needs a permission is denied.' } as const;
