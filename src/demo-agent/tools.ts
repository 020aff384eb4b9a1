import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from './start-child.js';
import type { ToolInput, ToolName, ToolOutcome } from './step.js';

const maxEntries = 200;
const maxReadBytes = 64 * 1024;
const maxEditBytes = 1024 * 1024;

export interface ToolSurroundings {
  readonly cwd: string;
  readonly speed: number;
  readonly signal: AbortSignal;
}

/** Runs the agent's real tools. They never leave the working directory, not even through a link. */
export async function runTool(
  name: ToolName,
  input: ToolInput,
  around: ToolSurroundings,
): Promise<ToolOutcome> {
  try {
    const text = await tools[name](input, around);
    return { text, isError: false };
  } catch (error) {
    around.signal.throwIfAborted();
    return { text: error instanceof Error ? error.message : String(error), isError: true };
  }
}

const tools: Record<ToolName, (input: ToolInput, around: ToolSurroundings) => Promise<string>> = {
  async LS(input, { cwd }) {
    const entries = await readdir(await inside(cwd, String(input['path'])), { withFileTypes: true });
    const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
    const more = names.length > maxEntries ? [`… and ${names.length - maxEntries} more`] : [];
    return [...names.slice(0, maxEntries), ...more].join('\n');
  },

  async Read(input, { cwd }) {
    const path = await fileInside(cwd, input);
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxReadBytes), 0, maxReadBytes, 0);
      const lines = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/);
      return lines
        .slice(0, Number(input['limit'] ?? lines.length))
        .join('\n')
        .trimEnd();
    } finally {
      await file.close();
    }
  },

  async Write(input, { cwd }) {
    const target = resolve(cwd, String(input['file_path']));
    const path = join(await inside(cwd, dirname(target)), basename(target));
    await put(path, String(input['content']));
    return `File created successfully at: ${path}`;
  },

  async Edit(input, { cwd }) {
    const path = await fileInside(cwd, input);
    if ((await lstat(path)).size > maxEditBytes) throw new Error('It is too large.');
    const [before, ...rest] = (await readFile(path, 'utf8')).split(String(input['old_string']));
    if (rest.length === 0) throw new Error('String to replace not found in file.');
    if (rest.length > 1) throw new Error(`Found ${rest.length} matches of the string to replace.`);
    await put(path, `${before}${String(input['new_string'])}${rest[0]}`);
    return `The file ${path} has been updated successfully.`;
  },

  async TodoWrite() {
    return 'Todos have been modified successfully.';
  },

  async Bash(input, { cwd, speed, signal }) {
    const command = String(input['command']);
    if (command === childCommand) return startChild(cwd);
    const seconds = Number(/^sleep (\d{1,4}(?:\.\d+)?)$/.exec(command)?.[1]);
    if (Number.isNaN(seconds)) throw new Error(`I know no command but "sleep 5" and "${childCommand}".`);
    // At speed 0 the tool still takes its time: it is asked for because of that.
    await sleep((seconds * 1000) / (speed === 0 ? 1 : speed), undefined, { signal });
    return '';
  },
};

/** The command that the tool is given; a process of our own stands in for it. */
export const childCommand = 'setsid sleep 300 &';

async function put(path: string, content: string): Promise<void> {
  const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

async function fileInside(cwd: string, input: ToolInput): Promise<string> {
  const path = await inside(cwd, String(input['file_path']));
  // Opening a named pipe would wait for its writer for ever.
  if (!(await lstat(path)).isFile()) throw new Error('It is not a file.');
  return path;
}

async function inside(cwd: string, path: string): Promise<string> {
  const root = await realpath(cwd);
  const target = resolve(root, path);
  const real = await realpath(target).catch(() => {
    throw new Error('It does not exist.');
  });
  const way = relative(root, real);
  if (way === '..' || /^\.\.[/\\]/.test(way) || isAbsolute(way)) {
    throw new Error('It is outside of the working directory.');
  }
  return real;
}
