import type { BackendAdapterConfig } from '../../src/backends/types.js';

/** The number of words that belong to a flag, behind it. */
export type Arity = Readonly<Record<string, 0 | 1>>;

export interface ReadArguments {
  /** The flags in their order, each with its value. */
  readonly flags: readonly (readonly [flag: string, value: string | undefined])[];
  readonly words: readonly string[];
}

/**
 * Reads an argument list the way a CLI does, from left to right: a value that looks like a flag stays a
 * value. A flag that is not listed is an error, so every flag is known to a test.
 */
export function readArguments(args: readonly string[], arity: Arity): ReadArguments {
  const flags: [string, string | undefined][] = [];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') {
      words.push(...args.slice(at + 1));
      break;
    }
    const values = Object.hasOwn(arity, word) ? arity[word] : undefined;
    if (values === undefined) {
      if (word.startsWith('-')) throw new Error(`no test knows the flag ${word}`);
      words.push(word);
    } else if (values === 0) {
      flags.push([word, undefined]);
    } else {
      if (at + 1 >= args.length) throw new Error(`${word} has no value`);
      flags.push([word, args[++at]]);
    }
  }
  return { flags, words };
}

export function valuesOf({ flags }: ReadArguments, flag: string): readonly (string | undefined)[] {
  return flags.filter(([name]) => name === flag).map(([, value]) => value);
}

export function configWith(
  overrides: Partial<Pick<BackendAdapterConfig, 'workingDir' | 'model' | 'allowedTools' | 'maxTurns'>>,
): BackendAdapterConfig {
  return {
    cliPath: 'cli',
    workingDir: '/work',
    queryTimeoutMs: 1000,
    allowedTools: [],
    maxTurns: 25,
    env: {},
    ...overrides,
  };
}

export const claudeArity: Arity = {
  // Claude's `-p` takes no value, but the prompt is the word behind it.
  '-p': 1,
  '--output-format': 1,
  '--dangerously-skip-permissions': 0,
  '--append-system-prompt-file': 1,
  '--max-turns': 1,
  '--model': 1,
  '--resume': 1,
  '--allowedTools': 1,
  '--tools': 1,
};

export const codexArity: Arity = {
  '--json': 0,
  '--dangerously-bypass-approvals-and-sandbox': 0,
  '--cd': 1,
  '--model': 1,
  '-c': 1,
};

export const geminiArity: Arity = {
  '--output-format': 1,
  '--approval-mode': 1,
  '--model': 1,
  '--resume': 1,
};

export const openCodeArity: Arity = {
  '--format': 1,
  '--thinking': 0,
  '--auto': 0,
  '--model': 1,
  '--session': 1,
  '--continue': 0,
  '--title': 1,
};
