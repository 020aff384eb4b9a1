import { createBackend } from '../../backends/registry.js';
import { createLog, type Log } from '../../config/log.js';
import { logForPeople } from '../../config/log-for-people.js';
import type { SettingOrigins } from '../../config/setting-origins.js';
import { hasColours } from '../../core/colours.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { checkStart } from '../../gateway/check-start.js';
import { backendConfig, type Environment, type GatewayConfig, readConfig } from '../../gateway/config.js';
import { Gateway, type GatewayOptions } from '../../gateway/gateway.js';
import { StoreError } from '../../store/errors.js';
import { pageDirectory } from '../built-files.js';
import { shownChainRuns } from '../chain/shown-chain-runs.js';
import { say } from '../output/say.js';
import { version } from '../version.js';
import { untilStopped } from './until-stopped.js';

/** The settings of a gateway, as a command has read them. */
export interface Served {
  readonly settings: Environment;
  readonly inherited: Environment;
  readonly origins?: SettingOrigins;
  readonly warnings?: readonly string[];
  readonly backend?: string | undefined;
  readonly restrictedFor?: string | undefined;
  /** Why there is no backend to start with: it is said in place of what is wrong with the one that nobody chose. */
  readonly notChosen?: TurnoutError | undefined;
  readonly more?: Pick<GatewayConfig, 'envFile'>;
  /** Further homes whose runs of chains are shown: a demo shows the user's, too. */
  readonly homesOfRuns?: readonly string[];
}

export interface Serving {
  /** Tells whoever has started it where it is. */
  readonly announce: (gateway: Gateway, config: GatewayConfig) => void;
  /** True: if the port is taken, a free one is as good. */
  readonly anyPort?: boolean;
  readonly onFollowed?: (channel: string, gateway: Promise<Gateway>) => void;
}

/** Runs a gateway until a signal stops it. */
export async function serveGateway(served: Served, serving: Serving): Promise<number> {
  const { settings, inherited: env, more } = served;
  const {
    config: read,
    problems: wrong,
    refusal,
    backendKnown,
  } = readConfig(settings, { backend: served.backend, restrictedFor: served.restrictedFor }, served.origins);
  const config = { ...read, ...more, warnings: [...(served.warnings ?? []), ...read.warnings] };
  const problems = [...wrong, ...[refusal, served.notChosen].flatMap((one) => one?.explanation ?? [])];
  const log = logOf(config);
  if (problems.length > 0) {
    for (const warning of config.warnings) log.warn(warning);
    const isChosen = backendKnown && served.notChosen === undefined;
    const backend = isChosen ? createBackend(config.agentBackend, backendConfig(config, env)) : undefined;
    await checkStart(config, backend, env, problems);
  }
  // If the reader of the log goes away (a pipe, a restarted journal), the gateway goes on without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // If a hook's module forgets a promise that rejects, the gateway logs it and its turns go on.
  process.on('unhandledRejection', (error) => log.error('a promise was forgotten, and failed', { error }));
  const onFollowed = (channel: string) => serving.onFollowed?.(channel, starting);
  const chainRuns = shownChainRuns([config.home, ...(served.homesOfRuns ?? [])], (message) =>
    log.warn(message),
  );
  const starting = startGateway(
    { config, env, log, version: version(), pageDirectory, onFollowed, chainRuns },
    serving.anyPort,
  );
  const stopped = untilStopped(starting, config.shutdownGraceMs);
  serving.announce(await starting, config);
  await stopped;
  // A timer or a socket that a hook's module left behind must not keep the process alive.
  setTimeout(() => process.exit(), 1000).unref();
  return exitCodes.done;
}

/** In a terminal somebody looks at it; everywhere else it is collected. */
function logOf({ logLevel, logFormat = process.stderr.isTTY ? 'text' : 'json' }: GatewayConfig): Log {
  const print = logFormat === 'text' ? logForPeople(hasColours(process.stderr)) : undefined;
  return createLog(logLevel, undefined, undefined, undefined, print);
}

/** Runs a command, and says on stderr what keeps its gateway from starting. */
export async function orExplain(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TurnoutError) && !(error instanceof StoreError)) throw error;
    const why = error instanceof TurnoutError ? error.explanation : error.message;
    say(why);
    // `--url` where none is running: the same code as that of the commands that speak to one.
    const isGone = error instanceof TurnoutError && error.code === 'network';
    return isGone ? exitCodes.unavailable : exitCodes.failed;
  }
}

async function startGateway(options: GatewayOptions, anyPort = false): Promise<Gateway> {
  try {
    return await Gateway.start(options);
  } catch (error) {
    if (!anyPort || !isPortTaken(error)) throw error;
    return Gateway.start({ ...options, config: { ...options.config, httpPort: 0 } });
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof TurnoutError && (error.cause as NodeJS.ErrnoException)?.code === 'EADDRINUSE';
}
