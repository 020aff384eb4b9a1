import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backendNames, createBackend } from '../backends/registry.js';
import { createLog } from '../config/log.js';
import { readEnvironment } from '../config/read-environment.js';
import type { SettingOrigins } from '../config/setting-origins.js';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { checkStart } from '../gateway/check-start.js';
import { backendConfig, type Environment, type GatewayConfig, readConfig } from '../gateway/config.js';
import { Gateway } from '../gateway/gateway.js';
import { StoreError } from '../store/errors.js';
import { readDemoEnvironment } from './demo-environment.js';
import { type EndingSignal, onEndingSignal } from './ending-signals.js';
import { pageDirectory } from './page-directory.js';

export const usageText = `Usage: turnout gateway [options]

Takes messages over HTTP, gives them to an agent, and keeps everything on disk: a message that was accepted is
answered, also after a crash. Settings come from config.yaml and .env in TURNOUT_HOME, the environment and these
flags, in rising order, and never from the current directory; docs/configuration.md lists them.

  --backend <name>  ${backendNames().join(', ')} (over AGENT_BACKEND)
  --live            warm processes instead of one for each turn (BACKEND_LIVE)
  --host <address>  where to listen (HTTP_HOST, default 127.0.0.1)
  --port <port>     (HTTP_PORT, default 8420; 0: a free one)
  --home <dir>      database, archive, token (TURNOUT_HOME, default ~/.turnout)
  --settings-file <file>
                    settings, and variables for the agents, over those of TURNOUT_HOME (also --env-file, which
                    Node itself reads before Turnout does, NODE_OPTIONS included)
  --demo            with the bundled demo agent only, in TURNOUT_HOME/demo: no account needed

SIGTERM, SIGHUP or Ctrl-C lets running turns end (SHUTDOWN_GRACE_MS); another one, a second later or more, ends them at
once, and so does SIGQUIT.
Exit codes: 0 stopped · 1 it could not start · 2 wrong usage
`;

/** `turnout gateway`: runs until a signal stops it. */
export async function main(argv: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(argv);
  } catch (error) {
    process.stderr.write(`turnout: ${(error as Error).message}\nSee \`turnout help gateway\`.\n`);
    return exitCodes.usage;
  }
  if (options.help) {
    process.stdout.write(usageText);
    return exitCodes.done;
  }
  try {
    return await serve(options.demo ? demoSettings(options) : await ownSettings(options));
  } catch (error) {
    if (!(error instanceof TurnoutError) && !(error instanceof StoreError)) throw error;
    const why = error instanceof TurnoutError ? error.explanation : error.message;
    process.stderr.write(`turnout: ${why}\n`);
    return exitCodes.failed;
  }
}

interface Served {
  readonly settings: Environment;
  readonly inherited: Environment;
  readonly origins?: SettingOrigins;
  readonly warnings?: readonly string[];
  readonly backend?: string | undefined;
  readonly more: Pick<GatewayConfig, 'demo' | 'envFile'>;
}

async function ownSettings(options: Options): Promise<Served> {
  const named = options['settings-file'] ?? options['env-file'];
  const envFile = named === undefined ? undefined : resolve(named);
  const flags = asSettings(options);
  const read = await readEnvironment({ environment: process.env, flags, envFile });
  return { ...read, backend: options.backend, more: envFile === undefined ? {} : { envFile } };
}

/** A demo has a home of its own, and takes nothing from the user's: no hooks, no channels, no other CLI. */
function demoSettings(options: Options): Served {
  if ((options['settings-file'] ?? options['env-file'] ?? options.backend) !== undefined) {
    throw new TurnoutError('bad_request', 'A demo has its own agent and settings.', {
      hint: 'Leave --settings-file and --backend out, or --demo.',
    });
  }
  const { settings, inherited } = readDemoEnvironment(process.env, asSettings(options));
  return { settings, inherited, more: { demo: true } };
}

async function serve(served: Served): Promise<number> {
  const { settings, inherited: env, more } = served;
  const {
    config: read,
    problems,
    backendKnown,
  } = readConfig(settings, { backend: served.backend }, served.origins);
  const config = { ...read, ...more, warnings: [...(served.warnings ?? []), ...read.warnings] };
  const log = createLog(config.logLevel);
  if (problems.length > 0) {
    for (const warning of config.warnings) log.warn(warning);
    const backend = backendKnown ? createBackend(config.agentBackend, backendConfig(config, env)) : undefined;
    await checkStart(config, backend, env, problems);
  }
  // If the reader of the log goes away (a pipe, a restarted journal), the gateway goes on without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // If a hook's module forgets a promise that rejects, the gateway logs it and its turns go on.
  process.on('unhandledRejection', (error) => log.error('a promise was forgotten, and failed', { error }));
  const starting = Gateway.start({ config, env, log, pageDirectory });
  const stopped = untilStopped(starting);
  const { address, tokenFile } = await starting;
  const { host, port } = address;
  const shown = host.includes(':') ? `[${host}]` : host;
  const token = tokenFile === undefined ? 'HTTP_TOKEN' : `the one in ${tokenFile}`;
  process.stdout.write(
    `turnout gateway: http://${shown}:${port} (${config.agentBackend})\nThe Bearer token is ${token}\n`,
  );
  await stopped;
  // A timer or a socket that a hook's module left behind must not keep the process alive.
  setTimeout(() => process.exit(), 1000).unref();
  return exitCodes.done;
}

/**
 * A second signal within this time counts as the same one: `npm start` passes on a signal that the whole
 * process group has already got (Ctrl-C).
 */
const sameWishMs = 1000;

/** Listens for signals before the start-up is over, because turns already run by then. */
function untilStopped(starting: Promise<Gateway>): Promise<void> {
  return new Promise((resolve, reject) => {
    let started = false;
    let askedAt: number | undefined;
    const stop = (signal: EndingSignal): void => {
      const atOnce = signal === 'SIGQUIT';
      if (!atOnce && askedAt !== undefined && performance.now() - askedAt < sameWishMs) return;
      if (!started && (atOnce || askedAt !== undefined)) process.exit(exitCodes.failed);
      askedAt ??= performance.now();
      // A gateway that could not start has nothing to stop: `serve` reports the reason.
      starting
        .then((gateway) => {
          const stopping = gateway.stop(signal);
          // A second call ends the grace period.
          return (atOnce ? gateway.stop(signal) : stopping).then(resolve, reject);
        })
        .catch(() => undefined);
    };
    starting.then(() => {
      started = true;
    }, resolve);
    onEndingSignal(stop);
  });
}

type Options = ReturnType<typeof parseOptions>;

function parseOptions(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      backend: { type: 'string' },
      live: { type: 'boolean' },
      host: { type: 'string' },
      port: { type: 'string' },
      home: { type: 'string' },
      'settings-file': { type: 'string' },
      'env-file': { type: 'string' },
      demo: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

function asSettings(options: Options): Record<string, string> {
  const settings = {
    BACKEND_LIVE: options.live ? '1' : undefined,
    HTTP_HOST: options.host,
    HTTP_PORT: options.port,
    TURNOUT_HOME: options.home === undefined ? undefined : resolve(options.home),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}
