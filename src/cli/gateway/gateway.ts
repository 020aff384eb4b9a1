import { resolve } from 'node:path';
import { backendNames, readBackendName } from '../../backends/registry.js';
import { readEnvironment } from '../../config/read-environment.js';
import { type GatewayConfig, readConfig } from '../../gateway/config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { CommandPage } from '../command/command-page.js';
import { wrong } from '../command/flag-values.js';
import { print } from '../command/print.js';
import type { GivenFlags } from '../command/read-flags.js';
import { helpFlag, refuseOperands, runCommand } from '../command/run-command.js';
import { demoGateway } from '../demo/demo-gateway.js';
import { chooseInstalled } from '../first-run/choose-installed.js';
import { NotChosen } from '../first-run/installed-backend.js';
import { say, writeShown } from '../output/say.js';
import { runningUrl } from './running-url.js';
import { orExplain, type Served, serveGateway } from './serve-gateway.js';

export const page = {
  usage: ['gateway [options]'],
  about:
    'Takes messages over HTTP and from its own web page, gives them to an agent, and keeps everything on disk: a message that was accepted is answered, also after a crash. Settings come from config.yaml and .env in TURNOUT_HOME, the environment and these flags, in rising order, and never from the current directory; `turnout config list` shows them.',
  flags: {
    backend: {
      type: 'text',
      short: 'b',
      value: 'name',
      about: `${backendNames().join(', ')} (over AGENT_BACKEND)`,
      complete: backendNames(),
    },
    live: { type: 'switch', about: 'warm processes instead of one for each turn (BACKEND_LIVE)' },
    host: { type: 'text', value: 'address', about: 'where to listen (HTTP_HOST, default 127.0.0.1)' },
    port: { type: 'text', value: 'port', about: '(HTTP_PORT, default 8420; 0: a free one)' },
    home: {
      type: 'text',
      value: 'dir',
      about: 'database, archive, token (TURNOUT_HOME, default ~/.turnout)',
      complete: 'directories',
    },
    'settings-file': {
      type: 'text',
      value: 'file',
      about:
        'settings, and variables for the agents, over those of TURNOUT_HOME (also --env-file, which Node itself reads before Turnout does, NODE_OPTIONS included)',
      complete: 'files',
    },
    'env-file': { type: 'text', complete: 'files' },
    demo: {
      type: 'switch',
      about: 'with the bundled demo agent, in TURNOUT_HOME/demo: no account needed (see also `turnout demo`)',
    },
    url: {
      type: 'switch',
      about:
        'prints the address of the page of the gateway that is running, with its token, and starts none (with --demo: of the demo that is running)',
    },
    ...helpFlag,
  },
  notes:
    'SIGTERM, SIGHUP or Ctrl-C lets running turns end (SHUTDOWN_GRACE_MS); another one, half a second later or more, ends them at once, and so does SIGQUIT. In a terminal the log is for people; LOG_FORMAT=json makes it lines of JSON, which it is everywhere else.',
  examples: [
    ['gateway', 'the page and the HTTP API'],
    ['gateway -b codex --live --port 8421'],
    ['gateway --url', 'the address of the running one'],
  ],
  exitCodes:
    '0 stopped, also by a second signal · 130 by a third, or by a second with turns that did not end · 1 it could not start · 2 wrong usage · 3 --url found none',
} as const satisfies CommandPage;

type Given = GivenFlags<keyof typeof page.flags>;

/** `turnout gateway`: runs until a signal stops it. */
export function main(argv: readonly string[]): Promise<number> {
  return runCommand({ name: 'gateway', page, read: checked, run: runGateway }, argv);
}

/** What a flag says is wrong usage; what a setting says keeps the gateway from starting. */
function checked(given: Given): Given {
  refuseOperands(given);
  const port = given.text('port');
  if (port !== undefined && !(/^\d{1,5}$/.test(port.trim()) && Number(port) <= 65_535))
    throw wrong(`--port expects a number from 0 to 65535, got ${JSON.stringify(port)}`);
  const backend = given.text('backend');
  if (given.has('demo') && (settingsFile(given) ?? backend) !== undefined)
    throw wrong(
      'A demo has its own agent and settings.',
      'Leave --settings-file and --backend out, or --demo.',
    );
  if (backend?.trim().toLowerCase() === 'demo')
    throw wrong('--backend: the demo agent is for a demo.', '`turnout gateway --demo` starts one.');
  if (backend !== undefined) readBackendName(backend, '--backend');
  return given;
}

function runGateway(options: Given): Promise<number> {
  return orExplain(async () => {
    const isDemo = options.has('demo');
    const served = isDemo ? demoSettings(options) : await ownSettings(options);
    return options.has('url')
      ? printUrl(served)
      : serveGateway(served, { announce: announceAs(isDemo ? '--url --demo' : '--url') });
  });
}

async function ownSettings(options: Given): Promise<Served> {
  const named = settingsFile(options);
  const envFile = named === undefined ? undefined : resolve(named);
  const flags = asSettings(options);
  const read = await readEnvironment({ environment: process.env, flags, envFile });
  const backend = options.text('backend');
  const { missing } = await chooseInstalled(read.settings, read.inherited, { flag: backend, mayPick: false });
  const notChosen = missing instanceof NotChosen ? missing : undefined;
  return { ...read, backend, notChosen, more: envFile === undefined ? {} : { envFile } };
}

function demoSettings(options: Given): Served {
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
  writeShown(process.stdout, `turnout gateway: http://${shown}:${port} (${config.agentBackend})\n${how}\n`);
}

async function printUrl({ settings, backend, origins }: Served): Promise<number> {
  const { home, httpToken } = readConfig(settings, { backend }, origins).config;
  const { url, missing } = await runningUrl(home, httpToken);
  if (missing !== undefined) say(missing);
  return print(`${url}\n`);
}

function settingsFile(options: Given): string | undefined {
  return options.text('settings-file') ?? options.text('env-file');
}

function asSettings(options: Given): Record<string, string> {
  const home = options.text('home');
  const settings = {
    BACKEND_LIVE: options.has('live') ? '1' : undefined,
    HTTP_HOST: options.text('host'),
    HTTP_PORT: options.text('port'),
    TURNOUT_HOME: home === undefined ? undefined : resolve(home),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}
