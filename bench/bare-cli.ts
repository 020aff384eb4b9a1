import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { VendorName } from '../src/backends/registry.js';
import type { LabHome } from '../src/lab/home.js';

/** What a person would type for the same: one turn in which every tool is allowed. */
export const bare: Readonly<
  Record<
    VendorName,
    (home: LabHome) => { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  >
> = {
  // Root may skip permissions only in a sandbox.
  claude: () => ({ args: ['-p', 'hello', '--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } }),
  codex: () => ({
    args: ['exec', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', 'hello'],
  }),
  gemini: ({ model = '' }) => ({
    args: ['-p', 'hello', '--approval-mode', 'yolo', '--model', model],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }),
  opencode: ({ model = '' }) => ({ args: ['run', 'hello', '--model', model] }),
};

/** Where a program is started. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** From the start of a program until it has ended and its output is read. It has to print what is expected. */
export async function timed(
  command: string,
  args: readonly string[],
  place: Place,
  expected = '',
): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  const time = performance.now() - start;
  if (code !== 0 || !printed.stdout.includes(expected))
    throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${printed.stdout}${printed.stderr}`);
  return time;
}
