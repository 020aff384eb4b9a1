import { given } from '../../config/home-directory.js';
import { exitCodes } from '../../core/exit-codes.js';
import { backendConfig, loadConfig, readConfig } from '../../gateway/config.js';
import { HeldError } from '../../store/instance-lock.js';
import { explainFailure } from '../command/explain-failure.js';
import { printHelp } from '../command/print.js';
import { runningUrl } from '../gateway/running-url.js';
import { orExplain, type Served, serveGateway } from '../gateway/serve-gateway.js';
import { say, writeShown } from '../output/say.js';
import { sessionTurn } from '../run/session-turn.js';
import { showTurn } from '../run/show-turn.js';
import { demoBackend, registerDemoBackend } from './demo-backend.js';
import { dataDirectory, readDemoEnvironment } from './demo-environment.js';
import { demoGateway, welcomeWhenFollowed } from './demo-gateway.js';
import { type DemoOptions, page, readDemoOptions } from './demo-options.js';
import { openBrowser } from './open-browser.js';

export { page } from './demo-options.js';

/** `turnout demo`: the gateway with the bundled agent and the page; or one streamed turn in the terminal. */
export async function main(argv: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = readDemoOptions(argv);
    if (options.type === 'text') return await runInTerminal(options.prompt, options.settings);
  } catch (error) {
    return explainFailure(error, exitCodes.usage);
  }
  if (options.type === 'help') return printHelp(page);
  const { open, settings } = options;
  return orExplain(() => showPage(open, settings));
}

async function showPage(open: boolean, flags: Record<string, string>): Promise<number> {
  const served = quiet(demoGateway(process.env, flags));
  const show = async (url: string): Promise<void> => {
    writeShown(process.stdout, `Open ${url}\n`);
    if (open) await openBrowser(url);
  };
  try {
    return await serveGateway(served, {
      anyPort: given(flags['HTTP_PORT']) === undefined && given(process.env['HTTP_PORT']) === undefined,
      onFollowed: welcomeWhenFollowed(),
      announce: ({ pageUrl }) => {
        say('the demo is running. Ctrl-C ends it.');
        void show(pageUrl);
      },
    });
  } catch (error) {
    if (!(error instanceof HeldError)) throw error;
    const { home, httpToken } = readConfig(served.settings).config;
    const { url, missing } = await runningUrl(home, httpToken);
    say(`the demo is running already${missing === undefined ? '.' : `: ${missing}`}`);
    await show(url);
    return exitCodes.done;
  }
}

/** Somebody looks at this terminal: it has no lines of a log without a reason, and Ctrl-C takes no half minute. */
function quiet(served: Served): Served {
  const defaults = { LOG_LEVEL: 'warn', SHUTDOWN_GRACE_MS: '1000' };
  const set = Object.fromEntries(
    Object.entries(served.settings).filter(([, value]) => given(value) !== undefined),
  );
  return { ...served, settings: { ...defaults, ...set } };
}

async function runInTerminal(prompt: string, flags: Record<string, string>): Promise<number> {
  const { settings, inherited } = readDemoEnvironment({ WORKING_DIR: process.cwd(), ...process.env }, flags);
  const config = loadConfig(settings);
  dataDirectory(config.home);
  say(`the demo agent answers. You: ${prompt}`);
  registerDemoBackend();
  const turn = sessionTurn(prompt, {
    backend: demoBackend,
    config: backendConfig(config, inherited),
    live: false,
  });
  return showTurn(turn, { output: 'text', verbose: false, logLevel: config.logLevel });
}
