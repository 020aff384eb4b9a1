import type { CommandPage } from './command/command-page.js';
import { jsonFlags, wantsJson } from './command/json-flags.js';
import { print } from './command/print.js';
import { helpFlag, refuseOperands, runCommand } from './command/run-command.js';
import { version } from './version.js';

export const page = {
  usage: ['version [--json]'],
  about:
    'The version of Turnout; `turnout --version` prints the same. With --json also that of Node.js, and the platform.',
  flags: { ...jsonFlags, ...helpFlag },
  examples: [['version'], ['version --json | jq -r .node']],
  exitCodes: '0 done · 2 wrong usage',
} as const satisfies CommandPage;

/** `turnout version`. */
export function main(argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'version',
      page,
      read: (given) => {
        refuseOperands(given);
        return wantsJson(given);
      },
      run: (json) => print(json ? `${JSON.stringify(versions(), null, 2)}\n` : `${version()}\n`),
    },
    argv,
  );
}

function versions() {
  const { version: node, platform, arch } = process;
  return { turnout: version(), node: node.replace(/^v/, ''), platform: `${platform}-${arch}` };
}
