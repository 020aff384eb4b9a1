import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { killAtExit } from './kill-at-exit.js';
import { createMark, markEnvironment } from './mark-child.js';
import type { ProcessUser } from './process-user.js';
import { answer, type TreeAnswer, type TreeRequest } from './work-tree/answer.js';
import { encodeFrame, FrameReader } from './work-tree/frames.js';
import type { Facts, FactsRequest, Found, ReadRequest, RealTarget } from './work-tree/open-below.js';

export type { Facts, Found, ReadRequest, RealTarget } from './work-tree/open-below.js';

export interface WorkTreeFilesOptions {
  /** The user that agents run as, if it is another one than ours: then all is read with that user's rights. */
  readonly user?: ProcessUser | undefined;
  /** TURNOUT_HOME: a reader that outlives a killed gateway is ended by the next one. */
  readonly home: string;
  readonly timeoutMs?: number;
  /** The built reader. */
  readonly program?: string;
}

interface Asked {
  readonly id: number;
  readonly request: TreeRequest;
  readonly resolve: (answer: TreeAnswer) => void;
  readonly reject: (error: Error) => void;
  /** The readers that have had it. */
  tries: number;
  timer?: NodeJS.Timeout;
}

interface Reader {
  readonly child: ChildProcess;
  readonly asked: Map<number, Asked>;
}

/**
 * Reads work trees on behalf of agents, with the agents' rights. Their user may be another one than ours: then a child with that user's
 * rights reads, which is started when it is needed. One that does not answer in time is ended, and what others have asked of it is asked
 * of the next one.
 */
export class WorkTreeFiles {
  readonly #options: WorkTreeFilesOptions;
  readonly #waiting: Asked[] = [];
  #reader: Reader | undefined;
  #isClosed = false;
  #lastId = 0;

  constructor(options: WorkTreeFilesOptions) {
    this.#options = options;
  }

  get user(): ProcessUser | undefined {
    return this.#options.user;
  }

  /** Rejects only if there is no reader, or if it does not answer. */
  async read(request: ReadRequest): Promise<Found> {
    const { value, content } = await this.#ask({ ...request, type: 'read' });
    const found = value as Found;
    return found.type === 'file' ? { ...found, content: content ?? Buffer.alloc(0) } : found;
  }

  async target(tree: string, path: string): Promise<RealTarget | undefined> {
    return (await this.#ask({ type: 'target', tree, path })).value as RealTarget | undefined;
  }

  async facts(request: FactsRequest): Promise<readonly Facts[]> {
    return (await this.#ask({ ...request, type: 'facts' })).value as readonly Facts[];
  }

  async names(tree: string, path: string): Promise<readonly string[]> {
    return (await this.#ask({ type: 'names', tree, path })).value as readonly string[];
  }

  close(): void {
    this.#isClosed = true;
    this.#reader?.child.kill('SIGKILL');
    for (const asked of this.#waiting.splice(0)) asked.reject(closed());
  }

  #ask(request: TreeRequest): Promise<TreeAnswer> {
    if (this.#options.user === undefined) return answer(request);
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#waiting.push({ id: this.#lastId, request, resolve, reject, tries: 0 });
      this.#send();
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && (this.#reader?.asked.size ?? 0) < atOnce) {
      const asked = this.#waiting.shift();
      if (asked === undefined) return;
      this.#reader ??= this.#start();
      const { child, asked: sent } = this.#reader;
      sent.set(asked.id, asked);
      asked.tries += 1;
      asked.timer = setTimeout(() => {
        sent.delete(asked.id);
        asked.reject(new Error('A work tree could not be read in time.'));
        child.kill('SIGKILL');
      }, this.#options.timeoutMs ?? defaultTimeoutMs);
      child.stdin?.write(encodeFrame({ id: asked.id, request: asked.request }));
    }
  }

  #start(): Reader {
    const { user, home, program = builtReader } = this.#options;
    if (user === undefined) throw new Error('There is no other user.');
    const env = markEnvironment({ UV_USE_IO_URING: '0' }, createMark({ TURNOUT_HOME: home }));
    const args = [program, String(user.uid), String(user.gid), user.name];
    const child = spawn(process.execPath, args, { cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'] });
    const reader: Reader = { child, asked: new Map() };
    const frames = new FrameReader();
    const forget = killAtExit(() => child.kill('SIGKILL'));
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const { value, content } of frames.push(chunk)) settle(reader, value, content);
      } catch {
        child.kill('SIGKILL');
      }
      this.#send();
    });
    // What it has left unanswered is asked again when it is gone.
    for (const stream of [child.stdin, child.stdout]) stream.on('error', () => undefined);
    child.on('error', () => this.#gone(reader, forget));
    child.on('close', () => this.#gone(reader, forget));
    return reader;
  }

  #gone(reader: Reader, forget: () => void): void {
    forget();
    if (this.#reader === reader) this.#reader = undefined;
    for (const asked of reader.asked.values()) {
      clearTimeout(asked.timer);
      if (asked.tries < maxTries && !this.#isClosed) this.#waiting.push(asked);
      else asked.reject(this.#isClosed ? closed() : new Error('The reader of work trees has ended.'));
    }
    reader.asked.clear();
    this.#send();
  }
}

function settle({ asked: sent }: Reader, frame: unknown, content: Buffer): void {
  const { id, value, error } = frame as { id: number; value?: unknown; error?: string };
  const asked = sent.get(id);
  if (asked === undefined) return;
  sent.delete(id);
  clearTimeout(asked.timer);
  if (error === undefined) asked.resolve({ value, content });
  else asked.reject(new Error(error));
}

function closed(): Error {
  return new Error('The gateway stops.');
}

const atOnce = 16;
const maxTries = 2;
const defaultTimeoutMs = 10_000;

/** Modules of a build and its bundles are all one folder deep, as this one is. */
const builtReader = fileURLToPath(new URL('../process/work-tree/reader.js', import.meta.url));
