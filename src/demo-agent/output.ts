import type { Writable } from 'node:stream';
import type { OutputFormat } from './arguments.js';
import type { ClaudeLine } from './plain-lines.js';

/** Takes Claude's lines, and prints them as they are or folded to the chosen format. */
export interface Output {
  line(line: ClaudeLine): Promise<void>;
  end(): Promise<void>;
}

export function outputIn(format: OutputFormat, verbose: boolean, stdout: Writable): Output {
  const write = (text: string) => writeAll(stdout, text);
  if (format === 'text') {
    return { line: async (line) => (line.type === 'result' ? write(asText(line)) : undefined), end: nothing };
  }
  if (format === 'stream-json') return { line: (line) => write(`${JSON.stringify(line)}\n`), end: nothing };
  // Verbose JSON is one array of everything; plain JSON is the result alone.
  let opening = '[';
  return verbose
    ? {
        async line(line) {
          const before = opening;
          opening = ',';
          await write(`${before}${JSON.stringify(line)}`);
        },
        end: () => write(opening === '[' ? '' : ']\n'),
      }
    : {
        line: async (line) => (line.type === 'result' ? write(`${JSON.stringify(line)}\n`) : undefined),
        end: nothing,
      };
}

/** Makes an output safe for several writers: a line begins when the one before is written. */
export function inOrder(output: Output): Output {
  let last: Promise<void> = Promise.resolve();
  const after = (write: () => Promise<void>): Promise<void> => {
    const mine = last.then(write);
    last = mine.catch(nothing);
    return mine;
  };
  return { line: (line) => after(() => output.line(line)), end: () => after(() => output.end()) };
}

const chunkChars = 64 * 1024;

/** Resolves when the text is written, so that a slow reader slows the agent instead of filling memory. */
async function writeAll(stdout: Writable, text: string): Promise<void> {
  let end = 0;
  for (let start = 0; start < text.length; start = end) {
    end = start + chunkChars;
    // A surrogate pair is not cut in two.
    if (text.charCodeAt(end - 1) >> 10 === 0xd800 >> 10) end++;
    const chunk = text.slice(start, end);
    await new Promise<void>((done, failed) =>
      stdout.write(chunk, (error) => (error ? failed(error) : done())),
    );
  }
}

function asText(result: ClaudeLine): string {
  if (typeof result['result'] === 'string') return `${result['result']}\n`;
  const limit = result['subtype'] === 'error_max_turns';
  return limit ? `Error: ${String(result['errors'])}\n` : 'Execution error\n';
}

async function nothing(): Promise<void> {}
