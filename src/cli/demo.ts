import { mkdirSync } from 'node:fs';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { backendConfig, loadConfig } from '../gateway/config.js';
import { readDemoEnvironment } from './demo-environment.js';
import { sessionTurn } from './session-turn.js';
import { showTurn } from './show-turn.js';

const defaultPrompt = 'look around';

export const usageText = `Usage: turnout demo [prompt]
       turnout demo -- <prompt that begins with "-">

One streamed turn with the bundled demo agent. No account, no network, no settings: its files are in
TURNOUT_HOME/demo.
`;

/** `turnout demo`: a streamed turn with the bundled agent, without an account or a network. */
export async function main(argv: readonly string[]): Promise<number> {
  const [ours] = parts(argv);
  if (ours.includes('--help') || ours.includes('-h')) {
    process.stdout.write(usageText);
    return 0;
  }
  try {
    return await run(promptIn(argv));
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return exitCodes.usage;
  }
}

/** Everything behind `--` is the prompt; before it, what looks like an option is none of the prompt. */
function promptIn(argv: readonly string[]): string {
  const [ours, theirs] = parts(argv);
  const option = ours.find((word) => /^-./.test(word));
  if (option !== undefined) {
    throw new TurnoutError('bad_request', `\`turnout demo\` has no option ${option.split('=', 1)[0]}.`, {
      hint: 'It takes a prompt only; one with such a word: in quotes, or behind --. `turnout run` has options.',
    });
  }
  return [...ours, ...theirs].join(' ') || defaultPrompt;
}

/** The words before and behind `--`. */
function parts(argv: readonly string[]): readonly [readonly string[], readonly string[]] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return [argv.slice(0, end), argv.slice(end + 1)];
}

async function run(prompt: string): Promise<number> {
  const { settings, inherited } = readDemoEnvironment({ WORKING_DIR: process.cwd(), ...process.env });
  const config = loadConfig(settings);
  mkdirSync(config.home, { recursive: true, mode: 0o700 });
  process.stderr.write(`turnout: the demo agent answers. You: ${prompt}\n`);
  const turn = sessionTurn(prompt, {
    backend: 'claude',
    config: backendConfig(config, inherited),
    live: false,
  });
  return showTurn(turn, { output: 'text', verbose: false, logLevel: config.logLevel });
}
