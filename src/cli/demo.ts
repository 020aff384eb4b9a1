import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backendConfig, loadConfig } from '../gateway/config.js';
import { sessionTurn } from './session-turn.js';
import { showTurn } from './show-turn.js';

export const demoAgentPath = fileURLToPath(new URL('../demo-agent/main.js', import.meta.url));

const defaultPrompt = 'look around';

export const usageText = `Usage: turnout demo [prompt]

One streamed turn with the bundled demo agent. No account, no network.
`;

/** `turnout demo`: a streamed turn with the bundled agent, without an account or a network. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(usageText);
    return 0;
  }
  const prompt = argv.filter((word) => word !== '--').join(' ') || defaultPrompt;
  const config = loadConfig({
    TURNOUT_HOME: process.env['TURNOUT_HOME'],
    HOME: process.env['HOME'],
    BACKEND_CLI_PATH: demoAgentPath,
  });
  mkdirSync(join(config.home), { recursive: true, mode: 0o700 });
  process.stderr.write(`turnout: the demo agent answers. You: ${prompt}\n`);
  const turn = sessionTurn(prompt, { backend: 'claude', config: backendConfig(config), live: false });
  return showTurn(turn, { output: 'text', verbose: false });
}
