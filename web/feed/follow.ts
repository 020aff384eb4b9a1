import type { StreamedChatEvent } from '../../src/gateway/channels/http/wire.js';
import { streamAddress } from '../api.js';
import { Cell } from '../cell.js';
import { session } from '../session.js';
import type { Frame } from './conversation.js';
import { takeStreamPlace } from './stream-places.js';

export type Connection = 'connecting' | 'live' | 'lost' | 'paused';

export interface FollowHandlers {
  /** What has come since the last call: at most one call for each frame that the browser draws. */
  frames(frames: readonly Frame[]): void;
  /** The stream is open. `gap`: it does not go on where an earlier one ended, so the history is to be read. */
  opened(gap: boolean): void;
  /** Channels in which something has changed. */
  others(channels: readonly string[]): void;
  /** The stream could not be opened: the reason may be that the session has ended. */
  failed(): void;
}

/*
 * connecting --open--> live --error--> lost --timer, or online, visible or signed in again--> lost --open--> live
 * Without a session it stays lost: the gateway counts what it has to refuse. Any but paused --the page is hidden, and too many
 * hidden ones have a stream--> paused --it is shown again--> connecting. Any of them --close()--> closed. An EventSource is never left to reconnect by itself: after an answer such as 503 it would
 * not, and its clock can't be seen or hurried.
 */

/** Follows a channel until it is closed. Nothing is lost or told twice: a new stream goes on behind the last id. */
export class ChannelFollower {
  readonly connection = new Cell<Connection>('connecting');
  readonly #channel: string;
  readonly #handlers: FollowHandlers;
  #source: EventSource | undefined;
  #lastId: string | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frames: Frame[] = [];
  #drawing: (() => void) | undefined;
  readonly #unwatch: () => void;
  #leavePlace: (() => void) | undefined;
  #closed = false;

  constructor(channel: string, handlers: FollowHandlers) {
    this.#channel = channel;
    this.#handlers = handlers;
    addEventListener('online', this.#hurry);
    document.addEventListener('visibilitychange', this.#shownOrHidden);
    this.#unwatch = session.watch(this.#hurry);
    this.#open();
    if (document.hidden) void this.#shownOrHidden();
  }

  close(): void {
    this.#closed = true;
    removeEventListener('online', this.#hurry);
    document.removeEventListener('visibilitychange', this.#shownOrHidden);
    this.#leavePlace?.();
    this.#unwatch();
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#drawing?.();
  }

  readonly #shownOrHidden = async () => {
    this.#leavePlace?.();
    this.#leavePlace = undefined;
    if (!document.hidden) {
      if (this.connection.value === 'paused') this.#open();
      return this.#hurry();
    }
    const leave = await takeStreamPlace();
    if (this.#closed || !document.hidden) leave?.();
    else if (leave === undefined) this.#pause();
    else this.#leavePlace = leave;
  };

  #pause(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
    this.connection.set('paused');
  }

  readonly #hurry = () => {
    if (this.connection.value === 'lost' && !document.hidden && session.value === 'open') this.#open();
  };

  #open(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    const gap = this.#lastId === undefined;
    const source = new EventSource(streamAddress(this.#channel, this.#lastId));
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.connection.set('live');
      this.#handlers.opened(gap);
    };
    source.onerror = () => this.#lost(source);
    source.onmessage = ({ data, lastEventId }) => {
      const event = read<StreamedChatEvent>(data);
      if (event === undefined) return;
      // An event that is not kept has no id of its own: the browser gives it the last one again.
      const isNew = lastEventId !== '' && lastEventId !== this.#lastId;
      this.#add({ type: 'chat', event, ...(isNew ? { id: lastEventId } : {}) }, lastEventId);
    };
    this.#on(source, 'turn', (turn) => ({ type: 'turn', turn }) as Frame);
    this.#on(source, 'said', (message) => ({ type: 'said', message }) as Frame);
    this.#on(source, 'state', (status) => ({ type: 'state', status }) as Frame);
    this.#on(source, 'reset', () => ({ type: 'reset' }));
    source.addEventListener('channels', ({ data }) => {
      const told = read<{ readonly channels: readonly string[] }>(data);
      if (told !== undefined) this.#handlers.others(told.channels);
    });
  }

  #on(source: EventSource, name: string, frame: (data: object) => Frame): void {
    source.addEventListener(name, ({ data, lastEventId }) => {
      const told = read<object>(data);
      if (told !== undefined) this.#add(frame(told), lastEventId);
    });
  }

  #lost(source: EventSource): void {
    if (this.#source !== source) return;
    source.close();
    this.connection.set('lost');
    this.#handlers.failed();
    const wait = Math.min(10_000, 500 * 2 ** this.#failures) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      if (session.value === 'open') this.#open();
    }, wait);
  }

  #add(frame: Frame, id: string): void {
    if (id !== '') this.#lastId = id;
    this.#frames.push(frame);
    this.#drawing ??= soon(() => {
      this.#drawing = undefined;
      const frames = this.#frames;
      this.#frames = [];
      this.#handlers.frames(frames);
    });
  }
}

/** Before the browser draws next. A hidden page is not drawn, but its title and notifications are to be right. */
function soon(work: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  // A page that is hidden in between is not drawn any more: then the timer does it.
  const timer = setTimeout(run, 500);
  const frame = requestAnimationFrame(run);
  function run(): void {
    cancel();
    work();
  }
  function cancel(): void {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  }
  return cancel;
}

function read<T extends object>(data: string): T | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
