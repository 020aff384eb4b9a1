import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backendNames } from '../backends/registry.js';
import { readEnvironment } from '../config/read-environment.js';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { type GatewayConfig, readConfig } from '../gateway/config.js';
import type { Gateway } from '../gateway/gateway.js';
import { demoGateway } from './demo-gateway.js';
import { runningUrl } from './running-url.js';
import { orExplain, type Served, serveGateway } from './serve-gateway.js';

export const usageText = `Usage: turnout gateway [options]

Takes messages over HTTP, from its own web page and from Discord, gives them to an agent, and keeps everything on disk: a message that
was accepted is answered, also after a crash. Settings come from config.yaml and .env in TURNOUT_HOME, the environment
and these flags, in rising order, and never from the current directory; docs/configuration.md lists them.
DISCORD_BOT_TOKEN puts it on Discord (docs/discord.md); \`turnout doctor\` tells whether that works.

  --backend <name>  ${backendNames().join(', ')} (over AGENT_BACKEND)
  --live            warm processes instead of one for each turn (BACKEND_LIVE)
  --host <address>  where to listen (HTTP_HOST, default 127.0.0.1)
  --port <port>     (HTTP_PORT, default 8420; 0: a free one)
  --home <dir>      database, archive, token (TURNOUT_HOME, default ~/.turnout)
  --settings-file <file>
                    settings, and variables for the agents, over those of TURNOUT_HOME (also --env-file, which
                    Node itself reads before Turnout does, NODE_OPTIONS included)
  --demo            with the bundled demo agent, in TURNOUT_HOME/demo: no account needed (see also \`turnout demo\`)
  --url             prints the address of the page of the gateway that is running, with its token, and starts none
                    (with --demo: of the demo that is running)

SIGTERM, SIGHUP or Ctrl-C lets running turns end (SHUTDOWN_GRACE_MS); another one, half a second later or more, ends them
at once, and so does SIGQUIT.
Exit codes: 0 stopped · 130 stopped in the middle of turns that did not end · 1 it could not start, or --url found none · 2 wrong usage
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
  return orExplain(async () => {
    const served = options.demo ? demoSettings(options) : await ownSettings(options);
    return options.url
      ? printUrl(served)
      : serveGateway(served, { announce: announceAs(options.demo ? '--url --demo' : '--url') });
  });
}

async function ownSettings(options: Options): Promise<Served> {
  const named = options['settings-file'] ?? options['env-file'];
  const envFile = named === undefined ? undefined : resolve(named);
  const flags = asSettings(options);
  const read = await readEnvironment({ environment: process.env, flags, envFile });
  return { ...read, backend: options.backend, more: envFile === undefined ? {} : { envFile } };
}

function demoSettings(options: Options): Served {
  if ((options['settings-file'] ?? options['env-file'] ?? options.backend) !== undefined) {
    throw new TurnoutError('bad_request', 'A demo has its own agent and settings.', {
      hint: 'Leave --settings-file and --backend out, or --demo.',
    });
  }
  return demoGateway(process.env, asSettings(options));
}

/** `urlFlags` make `turnout gateway` print the address of this one. */
function announceAs(urlFlags: string) {
  return (gateway: Gateway, config: GatewayConfig) => announce(gateway, config, urlFlags);
}

/** The token is shown on a terminal only: stdout may be a journal. */
function announce({ address, pageUrl, tokenFile }: Gateway, config: GatewayConfig, urlFlags: string): void {
  const { host, port } = address;
  const shown = host.includes(':') ? `[${host}]` : host;
  const token = tokenFile === undefined ? 'HTTP_TOKEN' : `the one in ${tokenFile}`;
  const how = process.stdout.isTTY
    ? `Open ${pageUrl}`
    : `The Bearer token is ${token}; \`turnout gateway ${urlFlags}\` prints the address of the page with it.`;
  process.stdout.write(`turnout gateway: http://${shown}:${port} (${config.agentBackend})\n${how}\n`);
}

async function printUrl({ settings, backend, origins }: Served): Promise<number> {
  const { home, httpToken } = readConfig(settings, { backend }, origins).config;
  const { url, missing } = await runningUrl(home, httpToken);
  process.stdout.write(`${url}\n`);
  if (missing !== undefined) process.stderr.write(`turnout: ${missing}\n`);
  return exitCodes.done;
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
      url: { type: 'boolean' },
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
