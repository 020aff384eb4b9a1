import { exitCodes } from '../../core/exit-codes.js';
import { oneLine } from '../../core/text.js';
import type { Gateway, TurnInChannel } from '../../gateway/gateway.js';
import { type EndingSignal, onEndingSignal } from '../command/ending-signals.js';
import { say } from '../output/say.js';

/**
 * A second signal within this time counts as the same one: `npm start` passes on a signal that the whole
 * process group has already got (Ctrl-C).
 */
const sameWishMs = 500;

/** Turns that are ended get so long to be written down. The next start does what was not. */
const endingMs = 5000;

/**
 * Resolves when a signal has stopped the gateway: the first one lets running turns end, the second ends them, the third the
 * program. SIGQUIT counts as the second at least. Signals are listened for before the start-up is over, because turns already run by then.
 */
export function untilStopped(starting: Promise<Gateway>, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let gateway: Gateway | undefined;
    let wishes = 0;
    let wishedAt = Number.NEGATIVE_INFINITY;
    const stop = (signal: EndingSignal): void => {
      const atOnce = signal === 'SIGQUIT';
      if (!atOnce && performance.now() - wishedAt < sameWishMs) return;
      wishedAt = performance.now();
      wishes = Math.max(wishes + 1, atOnce ? 2 : 1);
      if (gateway === undefined && wishes > 1) process.exit(exitCodes.failed);
      // The children are killed at the exit.
      if (wishes > 2) process.exit(exitCodes.interrupted);
      const running = gateway?.turnsRunning ?? [];
      // Whoever reads the log of a service expects one object a line.
      if (signal === 'SIGINT' || process.stderr.isTTY)
        say(
          wishes === 1 || running.length === 0
            ? waiting(running, graceMs, signal)
            : `ending ${turns(running)} now (${namesOf(running)}).`,
        );
      if (wishes === 2) setTimeout(() => process.exit(exitCodes.interrupted), endingMs).unref();
      // A gateway that could not start has nothing to stop: `serveGateway` reports the reason.
      starting
        .then((started) => {
          const stopping = started.stop(signal);
          // A second call ends the grace period.
          return (atOnce ? started.stop(signal) : stopping).then(resolve, reject);
        })
        .catch(() => undefined);
    };
    starting.then((started) => {
      gateway = started;
    }, resolve);
    onEndingSignal(stop);
  });
}

/** Whoever waits should know what for. */
function waiting(running: readonly TurnInChannel[], graceMs: number, signal: EndingSignal): string {
  if (running.length === 0) return 'stopping.';
  const again = signal === 'SIGINT' ? 'Ctrl-C again' : 'another signal';
  const them = running.length === 1 ? 'it' : 'them';
  const asking = running.filter(({ asks }) => asks);
  const question =
    asking.length === 0 ? '' : `\nA permission is waited for in ${namesOf(asking)}: \`turnout permissions\`.`;
  return `stopping: ${turns(running)} may end first (${namesOf(running)}), for at most ${Math.ceil(graceMs / 1000)} s; ${again} ends ${them} now.${question}`;
}

const maxNamed = 5;

function namesOf(running: readonly TurnInChannel[]): string {
  const names = running.slice(0, maxNamed).map(({ channel }) => oneLine(channel, 40));
  return [...names, ...(running.length > maxNamed ? ['…'] : [])].join(', ');
}

function turns({ length }: readonly TurnInChannel[]): string {
  return length === 1 ? '1 turn' : `${length} turns`;
}
