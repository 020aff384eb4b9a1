import { vendorNames } from '../../backends/names.js';
import type { ChatEvent, PermissionRequestEvent } from '../../core/chat-event.js';
import { errorEvent } from '../../core/chat-event.js';
import { HostClient, type HostOutcome } from '../../host/client.js';
import { isInsideTurn, warmEnvironment } from '../../host/host-environment.js';
import type { HostedOptions } from '../../host/messages.js';
import { reachHost } from '../../host/reach-host.js';
import type { CompleteSessionOptions } from '../../sessions/types.js';
import { turnoutProgram } from '../built-files.js';
import type { Terminal } from '../output/terminal.js';
import { answerTo, sessionTurn, type TurnExtras } from './session-turn.js';
import type { ShownTurn, TurnHooks } from './show-turn.js';

/** A longer prompt takes the way of a cold run, which knows what to do with it. */
const longestPrompt = 8 * 1024 * 1024;

/**
 * A turn of `sessionTurn` that the resident host runs, in a CLI that is already started. Whatever keeps the host from it, the turn
 * runs here, as without it.
 */
export function warmTurn(
  prompt: string,
  options: CompleteSessionOptions,
  extras: TurnExtras = {},
): ShownTurn {
  let host: HostClient | undefined;
  let cold: ShownTurn | undefined;

  async function* run(hooks: TurnHooks): AsyncGenerator<ChatEvent> {
    const outcome = yield* atHost(hooks);
    if (outcome.type === 'ended') {
      if (outcome.hostDied) {
        const { sweepAfterCrash } = await import('../../backends/launch/sweep-after-crash.js');
        await sweepAfterCrash({ TURNOUT_HOME: options.config.home });
      }
      return;
    }
    if (outcome.type === 'lost' && (await mayHaveBegunTools(outcome))) {
      yield errorEvent(
        'crashed',
        'The agent’s process has ended, and may have begun a tool: the turn is not run again.',
      );
      return;
    }
    cold = sessionTurn(prompt, options, extras);
    yield* cold.run(hooks);
  }

  async function* atHost({ signal, trace }: TurnHooks): AsyncGenerator<ChatEvent, HostOutcome> {
    const hosted = hostedOptions(prompt, options, trace !== undefined);
    const { home, env = process.env } = options.config;
    const socket = hosted && home ? await reachHost({ home, program: turnoutProgram, env }) : undefined;
    if (hosted === undefined || socket === undefined) return { type: 'cold', reason: 'no host' };
    host = new HostClient(socket, turnoutProgram);
    return yield* host.turn(prompt, hosted, signal ?? new AbortController().signal);
  }

  async function mayHaveBegunTools(lost: HostOutcome & { readonly type: 'lost' }): Promise<boolean> {
    const afterLoss = await import('../../host/after-loss.js');
    return afterLoss.mayHaveBegunTools({ ...lost, prompt, options });
  }

  async function onPermission(
    asked: PermissionRequestEvent,
    terminal: Terminal,
    withdrawn: AbortSignal,
  ): Promise<void> {
    if (cold !== undefined) return cold.onPermission(asked, terminal, withdrawn);
    const { denyQuestions = false } = extras;
    const answer = await answerTo(asked, terminal, withdrawn, { ...options, denyQuestions });
    if (answer !== undefined) await host?.answerPermission(asked.id, answer.decision, answer.message);
  }

  return { prompt, options, run, onPermission };
}

/** What the host is asked for; undefined if it can't run such a turn. */
function hostedOptions(
  prompt: string,
  options: CompleteSessionOptions,
  isTraced: boolean,
): HostedOptions | undefined {
  const { adapter, agentHooks, trace: _t, rawArgs = [], stream: _s, live: _l, ...others } = options;
  const env = options.config.env ?? process.env;
  // The host has no other backends, such as the demo agent.
  const isVendor = vendorNames.some((name) => name === options.backend);
  // The command that is started, and every line, is shown as it is: by a CLI that is started for it.
  if (adapter !== undefined || !isVendor || agentHooks !== undefined || rawArgs.length > 0 || isTraced)
    return undefined;
  if (isInsideTurn(env) || Buffer.byteLength(prompt) > longestPrompt) return undefined;
  return { ...others, config: { ...options.config, env: warmEnvironment(env) } };
}
