import { describeThrown } from '../../core/describe-thrown.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodeFor, exitCodes } from '../../core/exit-codes.js';
import { endingSignals } from '../command/ending-signals.js';
import { say, writeShown } from '../output/say.js';
import type { Conversation } from './conversation.js';
import { HistoryFile } from './input/history-file.js';
import type { Key } from './input/keys.js';
import { beginChat, type ChatInput, type ChatState, type Effect, textWidth } from './state/chat-state.js';
import { awaitsInput, isMoving, liveRegion } from './state/live-region.js';
import { step } from './state/step.js';
import type { ChatScreen } from './terminal/chat-screen.js';
import type { Line } from './text/styled-line.js';
import { wrapLine } from './text/wrap.js';

export interface ChatParts {
  readonly conversation: Conversation;
  readonly screen: ChatScreen;
  /** TURNOUT_HOME: the history is kept there. */
  readonly home: string;
  /** Said at once. */
  readonly firstPrompt?: string | undefined;
  /** Printed above everything. */
  readonly title: readonly Line[];
}

/** Thirty frames a second at most; the spinner needs ten. */
const frameMs = 33;
const tickMs = 100;

/** Runs the chat until somebody leaves. Returns the exit code; the terminal is as it was. */
export function runChat(parts: ChatParts): Promise<number> {
  return new Chat(parts).run();
}

class Chat {
  readonly #parts: ChatParts;
  readonly #history: HistoryFile;
  #state: ChatState;
  #print: Line[] = [];
  #lastFrameAt = 0;
  #frame: { readonly timer: NodeJS.Timeout; readonly at: number } | undefined;
  #onReady: (() => void)[] = [];
  #leave: (code: number) => void = () => undefined;
  #farewell: string | undefined;
  /** The terminal is somebody else's again. */
  #isOver = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#history = new HistoryFile(parts.home);
    const { columns, rows, movesCursor } = parts.screen;
    const { status, backends, commands } = parts.conversation;
    const history = this.#history.read();
    this.#state = beginChat({ columns, rows, movesCursor, status, backends, commands, history });
    for (const line of parts.title) this.#print.push(...wrapLine(line, textWidth(this.#state)));
    this.#state = { ...this.#state, block: 'note', endsBlank: false };
  }

  async run(): Promise<number> {
    const { screen, conversation, firstPrompt } = this.#parts;
    const left = new Promise<number>((resolve) => {
      this.#leave = resolve;
    });
    const release = this.#onSignals();
    screen.open({
      onKey: (key) => {
        // Agents that take long to end are killed with this process.
        if (this.#state.leaving && isCtrlC(key)) process.exit(exitCodes.interrupted);
        this.#take({ type: 'key', key });
      },
      onLine: (text) => this.#take({ type: 'line', text }),
      onResize: (columns, rows) => this.#take({ type: 'resize', columns, rows }),
      onReady: () => this.#draw(),
      onClosed: () => this.#leave(exitCodes.done),
    });
    this.#open(conversation);
    if (firstPrompt !== undefined) this.#take({ type: 'line', text: ` ${firstPrompt}` });
    this.#draw();
    const code = await left;
    this.#flush();
    try {
      const command = await conversation.close();
      this.#isOver = true;
      this.#flush();
      screen.close();
      if (this.#farewell !== undefined) say(this.#farewell);
      else if (command !== undefined && code === exitCodes.done)
        writeShown(process.stdout, `\nTo go on: ${command}\n`);
    } finally {
      screen.close();
      release();
    }
    return code;
  }

  #open(conversation: Conversation): void {
    const tell = (event: Extract<ChatInput, { type: 'conversation' }>['event']) => {
      this.#take({ type: 'conversation', event });
      // A terminal that takes nothing slows the agent down.
      if (this.#print.length > 1000 && !this.#parts.screen.isReady)
        return new Promise<void>((resolve) => this.#onReady.push(resolve));
      return undefined;
    };
    void conversation
      .open(tell)
      .then(() =>
        this.#take({ type: 'conversation', event: { type: 'status', status: conversation.status } }),
      )
      .catch((error: unknown) => {
        const failure = error instanceof TurnoutError ? error : undefined;
        // Without the CLI there is nothing to talk to; anything else may be mended meanwhile.
        if (failure?.code === 'not_installed' || failure?.code === 'session_not_found') {
          this.#farewell = failure.explanation;
          this.#leave(exitCodeFor(failure.code));
        } else this.#take({ type: 'failed', text: failure?.explanation ?? describeThrown(error) });
      });
  }

  #take(input: ChatInput): void {
    const { state, print, effects } = step(this.#state, input, clock());
    this.#state = state;
    for (const line of print) this.#print.push(line);
    for (const effect of effects) this.#do(effect);
    this.#schedule(0);
  }

  #do(effect: Effect): void {
    const { conversation, screen } = this.#parts;
    switch (effect.type) {
      case 'say':
        void conversation.say(effect.text);
        return;
      case 'steer':
        this.#guard(
          conversation
            .steer(effect.text)
            .then((taken) => this.#take({ type: 'steered', text: effect.text, taken })),
        );
        return;
      case 'interrupt':
        this.#guard(conversation.interrupt());
        return;
      case 'answer':
        this.#guard(conversation.answer(effect.id, effect.decision));
        return;
      case 'command':
        this.#guard(
          conversation
            .command(effect.command, effect.argument)
            .then((text) => this.#take({ type: 'done', text })),
        );
        return;
      case 'hand_on':
        this.#guard(conversation.handOn(effect.text));
        return;
      case 'sessions':
        this.#guard(conversation.sessions().then((sessions) => this.#take({ type: 'sessions', sessions })));
        return;
      case 'wait':
        // What was typed meanwhile is read before the pause counts as one.
        setTimeout(
          () => setImmediate(() => this.#take({ type: 'waited', since: effect.since })),
          effect.ms,
        ).unref();
        return;
      case 'remember':
        this.#history.add(effect.text);
        return;
      case 'clear':
        screen.clearScreen();
        return;
      case 'suspend':
        screen.suspend();
        return;
      case 'leave':
        this.#leave(exitCodes.done);
        return;
    }
  }

  #guard(doing: Promise<unknown>): void {
    doing.catch((error: unknown) => {
      const text = error instanceof TurnoutError ? error.explanation : describeThrown(error);
      this.#take({ type: 'failed', text });
    });
  }

  /** What comes within a frame's time is drawn together. */
  #schedule(afterMs: number): void {
    const now = clock();
    const at = Math.max(now + afterMs, this.#lastFrameAt + frameMs);
    // A key must not wait for the next turn of the spinner.
    if (this.#frame !== undefined && this.#frame.at <= at) return;
    clearTimeout(this.#frame?.timer);
    this.#frame = { timer: setTimeout(() => this.#draw(), at - now), at };
  }

  #draw(): void {
    // One that can't be drawn now must not keep later ones from being planned.
    clearTimeout(this.#frame?.timer);
    this.#frame = undefined;
    if (!this.#parts.screen.isReady || this.#isOver) return;
    this.#flush();
    for (const resolve of this.#onReady.splice(0)) resolve();
    if (isMoving(this.#state, clock())) this.#schedule(tickMs);
  }

  #flush(): void {
    clearTimeout(this.#frame?.timer);
    this.#frame = undefined;
    this.#lastFrameAt = clock();
    const print = this.#print;
    this.#print = [];
    const live = liveRegion(this.#state, this.#lastFrameAt);
    this.#parts.screen.draw(print, live, awaitsInput(this.#state));
  }

  /** A signal that ends programs, or a mistake of ours, leaves a terminal that works. */
  #onSignals(): () => void {
    const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGQUIT: 3 } as const;
    const onSignal = (signal: (typeof endingSignals)[number]) => {
      if (signal === 'SIGINT') return;
      this.#leave(128 + numbers[signal]);
      // Agents that take their time are ended with this process.
      setTimeout(() => process.exit(128 + numbers[signal]), 5000).unref();
    };
    const onError = (error: unknown) => {
      this.#parts.screen.close();
      say(`chat has failed: ${error instanceof Error ? error.stack : String(error)}`);
      process.exit(exitCodes.failed);
    };
    for (const signal of endingSignals) process.on(signal, onSignal);
    process.on('uncaughtException', onError).on('unhandledRejection', onError);
    return () => {
      for (const signal of endingSignals) process.off(signal, onSignal);
      process.off('uncaughtException', onError).off('unhandledRejection', onError);
    };
  }
}

function isCtrlC(key: Key): boolean {
  return key.type === 'key' && key.ctrl === true && key.name === 'letter-c';
}

/** Milliseconds since 1970 that never go back. */
function clock(): number {
  return performance.timeOrigin + performance.now();
}
