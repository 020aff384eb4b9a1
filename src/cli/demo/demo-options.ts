import { resolve } from 'node:path';
import type { CommandPage, FlagTable } from '../command/command-page.js';
import { rows } from '../command/help-text.js';
import { readFlags, wrongUsage } from '../command/read-flags.js';
import { helpFlag } from '../command/run-command.js';
import { suggestedPrompts } from './demo-prompts.js';

/** What `turnout demo` is asked for: the page, or one turn in the terminal. */
export type DemoOptions =
  | { readonly type: 'help' }
  | { readonly type: 'text'; readonly prompt: string; readonly settings: Record<string, string> }
  | { readonly type: 'page'; readonly open: boolean; readonly settings: Record<string, string> };

const defaultPrompt = 'look around';

const flags = {
  port: {
    type: 'text',
    value: 'port',
    about: 'where to listen (HTTP_PORT, default 8420, or a free one if that is taken; 0: a free one)',
  },
  host: { type: 'text', value: 'address', about: '(HTTP_HOST, default 127.0.0.1)' },
  home: {
    type: 'text',
    value: 'dir',
    about: 'TURNOUT_HOME, in which the demo has a directory `demo` (default ~/.turnout)',
    complete: 'directories',
  },
  'no-open': { type: 'switch', about: 'leaves the browser alone' },
  text: {
    type: 'switch',
    about: 'one turn in this terminal in place of the page; a prompt alone does the same',
  },
  ...helpFlag,
} as const satisfies FlagTable;

export const page = {
  usage: [
    'demo [--port <port>] [--no-open]',
    'demo --text [prompt]',
    'demo -- <prompt that begins with "-">',
  ],
  about:
    'The gateway and its page with the bundled demo agent: no account, no network, no settings. The page opens in your browser; its address is printed as well. Files are in TURNOUT_HOME/demo. Ctrl-C ends it.',
  flags,
  notes: `In a conversation, /backend claude (codex, gemini, opencode) goes on with a CLI of this machine and your own login; /backend demo comes back. The demo agent understands, among others:

${rows(suggestedPrompts)}`,
  examples: [
    ['demo', 'opens the page'],
    ['demo --text "look around"', 'one turn, here'],
    ['demo --port 0 --no-open'],
  ],
  exitCodes: '0 stopped, or it was running already · 1 it could not start · 2 wrong usage',
} as const satisfies CommandPage;

/** Everything behind `--` is the prompt; before it, what looks like an option is none of the prompt. */
export function readDemoOptions(argv: readonly string[]): DemoOptions {
  const given = readFlags(argv, flags, { command: 'demo' });
  if (given.has('help')) return { type: 'help' };
  const prompt = [...given.positionals, ...given.rawArgs].join(' ');
  const home = given.text('home');
  const settings = home === undefined ? {} : { TURNOUT_HOME: resolve(home) };
  if (given.has('text') || prompt !== '') {
    const forPage = (['port', 'host', 'no-open'] as const).find((name) => given.has(name));
    if (forPage !== undefined)
      throw wrongUsage('demo', `--${forPage} is for the page, and a prompt (or --text) is for the terminal.`);
    return { type: 'text', prompt: prompt || defaultPrompt, settings };
  }
  const [host, port] = [given.text('host'), given.text('port')];
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw wrongUsage('demo', `--port=${port}: expected a port from 1 to 65535, or 0 for a free one.`);
  return {
    type: 'page',
    open: !given.has('no-open'),
    settings: {
      ...settings,
      ...(host === undefined ? {} : { HTTP_HOST: host }),
      ...(port === undefined ? {} : { HTTP_PORT: port }),
    },
  };
}
