import { mkdirSync } from 'node:fs';
import { backendConfig, loadConfig } from '../gateway/config.js';
import { readDemoEnvironment } from './demo-environment.js';
import { sessionTurn } from './session-turn.js';
import { showTurn } from './show-turn.js';

const defaultPrompt = 'look around';

export const usageText = `Usage: turnout demo [prompt]

One streamed turn with the bundled demo agent. No account, no network, no settings: its files are in
TURNOUT_HOME/demo.
`;

/** `turnout demo`: a streamed turn with the bundled agent, without an account or a network. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(usageText);
    return 0;
  }
  const prompt = argv.filter((word) => word !== '--').join(' ') || defaultPrompt;
  const { settings, inherited } = readDemoEnvironment({ WORKING_DIR: process.cwd(), ...process.env });
  const config = loadConfig(settings);
  mkdirSync(config.home, { recursive: true, mode: 0o700 });
  process.stderr.write(`turnout: the demo agent answers. You: ${prompt}\n`);
  const turn = sessionTurn(prompt, {
    backend: 'claude',
    config: backendConfig(config, inherited),
    live: false,
  });
  return showTurn(turn, { output: 'text', verbose: false });
}
