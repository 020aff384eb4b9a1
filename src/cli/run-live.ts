import type { BackendName } from '../backends/registry.js';
import type { BackendAdapterConfig, RunOptions, RunRequest } from '../backends/types.js';
import { type ChatEvent, errorEvent, type PermissionRequestEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import { openSession } from '../sessions/sessions.js';
import type { BackendSession } from '../sessions/types.js';
import { askInTerminal } from './ask-in-terminal.js';
import type { ShownTurn } from './show-turn.js';
import type { Terminal } from './terminal.js';

/** One turn over a live session, with permission requests answered in the terminal. */
export function liveTurn(
  backend: BackendName,
  config: BackendAdapterConfig,
  request: RunRequest,
  permissionMs?: number,
): ShownTurn {
  let session: BackendSession | undefined;

  async function* run({ signal, trace }: RunOptions): AsyncGenerator<ChatEvent> {
    if (request.rawArgs !== undefined && request.rawArgs.length > 0) {
      yield errorEvent(
        'unsupported',
        `${backend} does not support rawArgs in a live session. Leave --live out.`,
      );
      return;
    }
    try {
      const { prompt, timeoutMs, stream: _, rawArgs: __, env: ___, ...options } = request;
      const clocks = {
        ...(timeoutMs === undefined ? {} : { turnMs: timeoutMs }),
        ...(permissionMs === undefined ? {} : { permissionMs }),
      };
      session = await openSession({ ...options, backend, config, clocks, trace }, { signal });
      yield* session.send(prompt, { signal });
    } catch (error) {
      if (!(error instanceof TurnoutError)) throw error;
      yield errorEvent(error.code, error.explanation);
    } finally {
      await session?.close();
    }
  }

  async function onPermission(
    asked: PermissionRequestEvent,
    terminal: Terminal,
    withdrawn: AbortSignal,
  ): Promise<void> {
    const answer = await askInTerminal(asked, terminal, withdrawn);
    if (answer === undefined) return;
    // The turn may have ended meanwhile: then there is nothing left to answer.
    await session?.answerPermission(asked.id, answer.decision, answer.message).catch(() => undefined);
  }

  return { backend, request, run, onPermission };
}
