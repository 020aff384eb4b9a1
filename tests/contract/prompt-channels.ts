import type { VendorName } from '../../src/backends/names.js';

/** How a CLI reads what it is given. */
export interface CliReader {
  prompt(received: ReceivedInput): string;
  systemPrompt(received: Received): string | undefined;
}

/** Returns the reader of a vendor's CLI. */
export function readerOf(vendor: VendorName): CliReader {
  return { prompt: promptReadBy[vendor], systemPrompt: systemPromptReadBy[vendor] };
}

export interface ReceivedInput {
  readonly argv: readonly string[];
  readonly stdin: string;
}

/** The input that `receive.mjs` wrote down. */
export interface Received extends ReceivedInput {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly { readonly path: string; readonly mode: number; readonly content: string }[];
}

/** Returns the prompt that each CLI would have read, by the rules that were measured with the real ones. */
export const promptReadBy: Readonly<Record<VendorName, (received: ReceivedInput) => string>> = {
  claude({ argv, stdin }) {
    const words = positionals(argv, {
      flags: ['-p', '--verbose', '--include-partial-messages', '--dangerously-skip-permissions'],
    });
    if (valueBehind(argv, '--input-format') === 'stream-json') {
      const message = JSON.parse(stdin);
      // Only a message that is marked as not typed is safe from being read as a slash command.
      if (message.text_not_typed !== true) throw new Error('a slash command would be obeyed');
      return message.message.content;
    }
    const prompt = joined(words, stdin, (word, piped) => `${word}\n${piped}`);
    if (prompt.startsWith('/')) throw new Error('a slash command would be obeyed');
    return prompt;
  },

  codex({ argv, stdin }) {
    const options = argv.indexOf('--');
    if (argv[0] !== 'exec' || options < 0) throw new Error('a word of Codex would be obeyed');
    const words = argv.slice(options + 1);
    if (words.length === 1 && words[0] === '-') return stdin;
    return joined(words, stdin, (word, piped) => `${word}\n\n<stdin>\n${piped}\n</stdin>`);
  },

  gemini({ argv, stdin }) {
    const option = argv.find((word) => word.startsWith('--prompt='))?.slice('--prompt='.length);
    const words = positionals(argv, { flags: [] });
    // A single word may be one of Gemini's own commands (more in each version), or a number that it rewrites.
    if (words.some((word) => !/\s/.test(word))) throw new Error('a word of Gemini would be obeyed');
    const all = [...(option === undefined ? [] : [option]), ...words];
    const prompt = joined(all, stdin, (word, piped) => `${piped}\n\n${word}`);
    if (/^\/(clear|help|init|quit)(\s|$)/.test(prompt)) throw new Error('a slash command would be obeyed');
    return prompt;
  },

  opencode({ argv, stdin }) {
    const words = positionals(argv.slice(1), { flags: ['--thinking', '--auto', '--continue'] });
    // OpenCode puts quotes around a word with a blank, and backslashes before quotes inside.
    const requoted = words.map((word) => (word.includes(' ') ? `"${word.replaceAll('"', '\\"')}"` : word));
    return joined(requoted, stdin, (word, piped) => `${word}\n${piped}`);
  },
};

/** Returns the system prompt as it reached the CLI, whichever way it took. */
export const systemPromptReadBy: Readonly<Record<VendorName, (received: Received) => string | undefined>> = {
  claude: ({ argv, files }) => fileAt(files, valueBehind(argv, '--append-system-prompt-file')),
  codex: ({ argv }) => {
    const prefix = 'developer_instructions=';
    const given = argv.find((word) => word.startsWith(prefix));
    return given === undefined ? undefined : JSON.parse(given.slice(prefix.length));
  },
  gemini: (received) =>
    /^<instructions>\n([\s\S]*)\n<\/instructions>\n\n/.exec(promptReadBy.gemini(received))?.[1],
  opencode: ({ env, files }) =>
    fileAt(files, JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '{}').instructions?.[0]),
};

export function valueBehind(argv: readonly string[], flag: string): string | undefined {
  const at = argv.indexOf(flag);
  return at < 0 ? undefined : argv[at + 1];
}

function fileAt(files: Received['files'], path: string | undefined): string | undefined {
  return files.find((file) => file.path === path)?.content;
}

/** Returns the words that are neither options nor their values; an option that is not listed has one. */
function positionals(argv: readonly string[], { flags }: { flags: readonly string[] }): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) words.push(word);
    else if (!flags.includes(word) && !word.includes('=')) at++;
  }
  return words;
}

function joined(
  words: readonly string[],
  stdin: string,
  both: (word: string, piped: string) => string,
): string {
  const [word, ...more] = words;
  if (more.length > 0) throw new Error(`more than one word: ${JSON.stringify(words)}`);
  if (word === undefined) return stdin;
  return stdin === '' ? word : both(word, stdin);
}
