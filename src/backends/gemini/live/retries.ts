import { constants, lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepEvent } from '../../../core/chat-event.js';
import type { ProcessUser } from '../../../process/process-user.js';
import { writeScratchFiles } from '../../launch/scratch-files.js';
import { findRetries } from '../retries.js';

const everyMs = 500;
const mostBytes = 256 * 1024;

/**
 * Gemini 0.61.0 tells nothing of its retries over ACP, nor on stderr: ten attempts are four minutes of silence. Its
 * debug log has them. The log is read while a turn runs, and emptied when it grows (Gemini only appends to it).
 */
export class RetryLog {
  readonly #path: string;
  readonly #deliver: (event: StepEvent) => void;
  #file: FileHandle | undefined;
  /** How many bytes of the log have been read. */
  #position = 0;
  #incomplete = '';
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #closed = false;

  constructor(directory: string, deliver: (event: StepEvent) => void) {
    this.#path = logPath(directory);
    this.#deliver = deliver;
  }

  /** Begins with the lines that come from now on: those before belong to turns that are over. */
  watch(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#position = sizeOf(this.#path);
    this.#incomplete = '';
    this.#timer = setInterval(() => this.#poll(), everyMs);
    this.#timer.unref();
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.pause();
    await this.#reading;
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
  }

  #poll(): void {
    this.#reading ??= this.#read()
      .catch(() => this.pause())
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #read(): Promise<void> {
    const turn = this.#timer;
    // The CLI may run as another user, who must not make us read or empty a file through a link.
    this.#file ??= await open(this.#path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, nlink } = await this.#file.stat();
    if (nlink !== 1) throw new Error('The log was replaced.');
    if (size > this.#position) {
      const buffer = Buffer.alloc(Math.min(size - this.#position, mostBytes));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, size - buffer.length);
      if (this.#timer !== turn) return;
      this.#position = size;
      const [notices, rest] = findRetries(this.#incomplete + buffer.toString('utf8', 0, bytesRead));
      this.#incomplete = rest;
      for (const event of notices) this.#deliver(event);
    }
    if (size < mostBytes) return;
    await this.#file.truncate(0);
    this.#position = 0;
  }
}

function sizeOf(path: string): number {
  try {
    return lstatSync(path).size;
  } catch {
    return 0;
  }
}

/** The variable that makes Gemini write its log there. A log that the user asked for stays. */
export function retryLogVariable(
  directory: string,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return env[variable] === undefined ? { [variable]: logPath(directory) } : {};
}

/** Makes the log of an environment that names ours, readable by its owner only. Where that can't be, there is none. */
export async function withRetryLog(
  env: Readonly<Record<string, string>>,
  directory: string,
  user?: ProcessUser,
): Promise<Readonly<Record<string, string>>> {
  if (env[variable] !== logPath(directory)) return env;
  try {
    await writeScratchFiles(directory, [{ path: logPath(directory), content: '' }], user);
    return env;
  } catch {
    const { [variable]: _, ...others } = env;
    return others;
  }
}

const variable = 'GEMINI_DEBUG_LOG_FILE';

function logPath(directory: string): string {
  return join(directory, 'gemini-debug.log');
}
