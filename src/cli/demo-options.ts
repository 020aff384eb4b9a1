import { resolve } from 'node:path';
import { readFlags, wrongUsage } from './read-flags.js';

/** What `turnout demo` is asked for: the page, or one turn in the terminal. */
export type DemoOptions =
  | { readonly type: 'help' }
  | { readonly type: 'text'; readonly prompt: string; readonly settings: Record<string, string> }
  | { readonly type: 'page'; readonly open: boolean; readonly settings: Record<string, string> };

const defaultPrompt = 'look around';

const flags = {
  text: { type: 'switch' },
  port: { type: 'text' },
  host: { type: 'text' },
  home: { type: 'text' },
  'no-open': { type: 'switch' },
  help: { type: 'switch', short: 'h' },
} as const;

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
