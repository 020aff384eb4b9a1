import { given } from '../config/home-directory.js';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { backendConfig, loadConfig, readConfig } from '../gateway/config.js';
import { HeldError } from '../store/instance-lock.js';
import { demoBackend, registerDemoBackend } from './demo-backend.js';
import { dataDirectory, readDemoEnvironment } from './demo-environment.js';
import { demoGateway, welcomeWhenFollowed } from './demo-gateway.js';
import { type DemoOptions, readDemoOptions } from './demo-options.js';
import { suggestedPrompts } from './demo-prompts.js';
import { openBrowser } from './open-browser.js';
import { runningUrl } from './running-url.js';
import { orExplain, type Served, serveGateway } from './serve-gateway.js';
import { sessionTurn } from './session-turn.js';
import { showTurn } from './show-turn.js';

export const usageText = `Usage: turnout demo [--port <port>] [--no-open]
       turnout demo --text [prompt]
       turnout demo -- <prompt that begins with "-">

The gateway and its page with the bundled demo agent: no account, no network, no settings. The page opens in your
browser; its address is printed as well. Files are in TURNOUT_HOME/demo. Ctrl-C ends it.

  --port <port>     where to listen (HTTP_PORT, default 8420, or a free one if that is taken; 0: a free one)
  --host <address>  (HTTP_HOST, default 127.0.0.1)
  --home <dir>      TURNOUT_HOME, in which the demo has a directory \`demo\` (default ~/.turnout)
  --no-open         leaves the browser alone
  --text            one turn in this terminal in place of the page; a prompt alone does the same

In a conversation, /backend claude (codex, gemini, opencode) goes on with a CLI of this machine and your own login;
/backend demo comes back. The demo agent understands, among others:

${suggestedPrompts.map(([prompt, about]) => `  ${prompt.padEnd(34)}${about}`).join('\n')}

Exit codes: 0 stopped, or it was running already · 1 it could not start · 2 wrong usage
`;

/** `turnout demo`: the gateway with the bundled agent and the page; or one streamed turn in the terminal. */
export async function main(argv: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = readDemoOptions(argv);
    if (options.type === 'text') return await runInTerminal(options.prompt, options.settings);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return exitCodes.usage;
  }
  if (options.type === 'help') {
    process.stdout.write(usageText);
    return exitCodes.done;
  }
  const { open, settings } = options;
  return orExplain(() => showPage(open, settings));
}

async function showPage(open: boolean, flags: Record<string, string>): Promise<number> {
  const served = quiet(demoGateway(process.env, flags));
  const show = async (url: string): Promise<void> => {
    process.stdout.write(`Open ${url}\n`);
    if (open) await openBrowser(url);
  };
  try {
    return await serveGateway(served, {
      anyPort: given(flags['HTTP_PORT']) === undefined && given(process.env['HTTP_PORT']) === undefined,
      onFollowed: welcomeWhenFollowed(),
      announce: ({ pageUrl }) => {
        process.stderr.write('turnout: the demo is running. Ctrl-C ends it.\n');
        void show(pageUrl);
      },
    });
  } catch (error) {
    if (!(error instanceof HeldError)) throw error;
    const { home, httpToken } = readConfig(served.settings).config;
    const { url, missing } = await runningUrl(home, httpToken);
    process.stderr.write(
      `turnout: the demo is running already${missing === undefined ? '.' : `: ${missing}`}\n`,
    );
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
  process.stderr.write(`turnout: the demo agent answers. You: ${prompt}\n`);
  registerDemoBackend();
  const turn = sessionTurn(prompt, {
    backend: demoBackend,
    config: backendConfig(config, inherited),
    live: false,
  });
  return showTurn(turn, { output: 'text', verbose: false, logLevel: config.logLevel });
}
