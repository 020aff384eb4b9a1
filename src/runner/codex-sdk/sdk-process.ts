import { TurnoutError } from '../../core/errors.js';
import { late, within } from '../../core/wait.js';
import { AdoptedChild } from '../../process/adopted-child.js';
import { catchChild } from '../../process/catch-child.js';
import { createMark, markEnvironment } from '../../process/mark-child.js';
import type { Line, ProcessExit, ProcessSpec, RunningProcess } from '../../process/start-process.js';
import type { CodexSdk, ThreadOptions } from './load-sdk.js';

export interface SdkTurn {
  /** The thread to resume. */
  readonly threadId: string | undefined;
  readonly thread: ThreadOptions;
  /** Settings of Codex, as `key=value` in TOML. */
  readonly configOverrides: readonly string[];
}

/** Starts a turn with the SDK, which starts Codex, and shows it like a child of ours: an event of the SDK is a line. */
export async function startSdkTurn(
  sdk: CodexSdk,
  { threadId, thread: options, configOverrides }: SdkTurn,
  spec: ProcessSpec,
): Promise<RunningProcess> {
  const mark = createMark(spec.env);
  const env = markEnvironment(spec.env, mark, spec.onHostExit);
  const prompt = typeof spec.stdin === 'object' ? String(spec.stdin.text) : '';
  try {
    const codex = new sdk.Codex({ codexPathOverride: spec.command, env, configOverrides });
    const thread =
      threadId === undefined ? codex.startThread(options) : codex.resumeThread(threadId, options);
    const events = (await thread.runStreamed(prompt)).events[Symbol.asyncIterator]();
    // Nothing is started before the first event is asked for.
    const { done: first, child } = catchChild(() => events.next());
    const started = await Promise.race([child, first.then(() => undefined)]);
    if (started !== undefined) return new SdkProcess(new AdoptedChild(started, mark, spec), events, first);
    await events.return?.();
    throw new Error('it started no process of this program');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TurnoutError('crashed', `The Codex SDK could not start ${spec.command}: ${why}`, { cause });
  }
}

class SdkProcess implements RunningProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly #child: AdoptedChild;
  readonly #events: AsyncIterator<unknown>;
  #next: Promise<IteratorResult<unknown>>;

  constructor(child: AdoptedChild, events: AsyncIterator<unknown>, first: Promise<IteratorResult<unknown>>) {
    this.pid = child.pid;
    this.exited = child.exited;
    this.#child = child;
    this.#events = events;
    this.#next = first;
    // A failure is told to whoever reads the lines, if somebody does.
    first.catch(() => undefined);
  }

  async *lines(): AsyncGenerator<readonly Line[]> {
    try {
      for (;;) {
        const result = await this.#nextEvent();
        if (result === late || result.done) break;
        yield [{ text: JSON.stringify(result.value) }];
        this.#next = this.#events.next();
      }
    } catch (error) {
      const { message } = error as Error;
      // The exit code and stderr, which the child itself has told, are in this message.
      if (!/^Codex Exec exited with /.test(message))
        throw new TurnoutError('parse', `The Codex SDK failed: ${message}`, { cause: error });
    } finally {
      this.#child.watch();
    }
    await this.#child.settleStderr();
  }

  /** A process that Codex has left behind may keep its stdout open: then no event comes after the exit. */
  async #nextEvent(): Promise<IteratorResult<unknown> | typeof late> {
    const next = this.#next;
    const afterExit = this.exited.then(() => within(afterExitMs, next));
    return Promise.race([next, afterExit]);
  }

  stderr(): string {
    return this.#child.stderr();
  }

  async write(): Promise<void> {
    throw new TurnoutError('unsupported', 'A turn of the Codex SDK has all of its input at its start.');
  }

  closeInput(): void {}

  async end(options: { readonly graceMs?: number } = {}): Promise<ProcessExit> {
    const ended = this.#child.end(options.graceMs);
    const exit = await ended;
    // The SDK cleans up when its events are left.
    void this.#events.return?.().then(
      () => this.#child.watch(),
      () => undefined,
    );
    return exit;
  }

  isAlone(): Promise<boolean> {
    return this.#child.isAlone();
  }

  async endLeftovers(): Promise<void> {
    await this.exited;
    await this.end();
  }
}

const afterExitMs = 1000;
