import { EventEmitter, once } from 'node:events';
import { createLog, type LogFields } from '../../../../src/config/log.js';
import { HttpChannel, type HttpChannelOptions } from '../../../../src/gateway/channels/http/http-channel.js';
import type { Reports } from '../../../../src/gateway/channels/lookups.js';
import type {
  ChannelStatus,
  GatewayFace,
  IncomingMessage,
  InterruptOptions,
} from '../../../../src/gateway/channels/types.js';
import {
  hasEnded,
  type StoredEvent,
  type StoredMessage,
  type StoredPermission,
} from '../../../../src/store/rows.js';
import type { ListingChange } from '../../../../src/store/store.js';

export const token = 'a-token-of-these-tests';
const began = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A gateway in memory, with the methods that the channel calls and nothing more. */
export class MemoryGateway implements GatewayFace {
  readonly received: IncomingMessage[] = [];
  readonly events = new Map<string, StoredEvent>();
  readonly log: StoredMessage[] = [];
  readonly permissions: StoredPermission[] = [];
  readonly interrupted: (readonly [channel: string, turnId: string | undefined])[] = [];
  problems: string[] = [];
  /** If it is set, `receive` and `event` throw it. */
  failure: unknown;
  /** A promise that `receive` waits for. */
  gate: Promise<void> = Promise.resolve();
  readonly #changes = new EventEmitter();

  async receive(message: IncomingMessage) {
    this.received.push(message);
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    const { channel, source, text, messageId, author } = message;
    const known = [...this.events.values()].find(
      (event) => messageId !== undefined && event.messageId === messageId && event.channel === channel,
    );
    if (known !== undefined) return { event: known, repeated: true };
    const seq = this.events.size + 1;
    const id = `event-${seq}`;
    const base = { id, seq, channel, source, kind: 'prompt', messageId, text, author } as const;
    this.events.set(id, { ...base, state: 'queued', createdAt: began + seq, attempts: 0, crashes: 0 });
    this.say({ channel, eventId: id, role: 'user', text });
    return { event: this.change(id, {}), repeated: false };
  }

  change(id: string, change: Partial<StoredEvent>): StoredEvent {
    const event = this.events.get(id);
    if (event === undefined) throw new Error(`no event ${id}`);
    const changed = { ...event, ...change };
    this.events.set(id, changed);
    this.#changes.emit('change');
    return changed;
  }

  /** How many wait for the end of an event. */
  get waiting(): number {
    return this.#changes.listenerCount('change');
  }

  follow(): never {
    throw new Error('not in this gateway');
  }

  /** The ports behind the routes that only pass on what they are given: a test puts in what it needs. */
  ports: Partial<Pick<GatewayFace, 'reports' | 'vendorSessions' | 'changes' | 'chainRuns'>> = {};

  get reports(): Reports {
    return this.ports.reports ?? ({ preview: async () => undefined } as Partial<Reports> as Reports);
  }

  get vendorSessions() {
    return this.ports.vendorSessions ?? notHere();
  }

  get changes() {
    return this.ports.changes ?? notHere();
  }

  get chainRuns() {
    return this.ports.chainRuns ?? notHere();
  }

  readonly identity = {
    version: '0.0.0',
    startedAt: began,
    pid: 1,
    home: '/home',
    backend: 'claude',
    live: false,
  };

  async plannedRuns() {
    return { runs: [], problems: [] };
  }

  async status(channel: string): Promise<ChannelStatus> {
    const permissions = this.permissions.filter((one) => one.channel === channel && one.state === 'pending');
    return {
      ...{
        channel,
        backend: 'claude',
        permissionMode: 'ask',
        queueMode: 'queue',
        steers: true,
        cwd: '/work',
      },
      ...{ waiting: [], waitingCount: 0, permissions, ...{ archived: false, ...this.listings.get(channel) } },
    };
  }

  readonly listings = new Map<string, { title?: string | undefined; archived: boolean }>();

  async changeListing(channel: string, { title, archived }: ListingChange): Promise<boolean> {
    if (!this.log.some((message) => message.channel === channel)) return false;
    const known = this.listings.get(channel) ?? { archived: false };
    this.listings.set(channel, {
      title: title === undefined ? known.title : (title ?? undefined),
      archived: archived ?? known.archived,
    });
    return true;
  }

  markEnd(): never {
    throw new Error('not in this gateway');
  }

  async takeMarked(): Promise<undefined> {}

  async cancel(eventId: string): Promise<boolean> {
    if (this.events.get(eventId)?.state !== 'queued') return false;
    this.change(eventId, { state: 'cancelled' });
    return true;
  }

  async eventOf(): Promise<undefined> {}

  async changeWaiting(): Promise<boolean> {
    return false;
  }

  async runNext(): Promise<boolean> {
    return false;
  }

  async waitForEnd(id: string, signal: AbortSignal) {
    for (;;) {
      const event = await this.event(id);
      if (event === undefined || hasEnded(event) || signal.aborted) return event;
      await once(this.#changes, 'change', { signal }).catch(() => undefined);
    }
  }

  say(message: Omit<StoredMessage, 'id' | 'createdAt'>): void {
    const id = this.log.length + 1;
    this.log.push({ ...message, id, createdAt: began + id });
  }

  async interrupt(channel: string, { turnId }: InterruptOptions = {}) {
    this.interrupted.push([channel, turnId]);
    return channel === 'busy';
  }

  async event(id: string) {
    if (this.failure !== undefined) throw this.failure;
    return this.events.get(id);
  }

  async messages(
    channel: string,
    { after = 0, before, limit }: { after?: number; before?: number; limit: number },
  ) {
    const all = this.log.filter((message) => message.channel === channel);
    if (before === undefined) return all.filter(({ id }) => id > after).slice(0, limit);
    return all.filter(({ id }) => id < before).slice(-limit);
  }

  async pendingPermissions() {
    return this.permissions.filter((permission) => permission.state === 'pending');
  }

  async permission(id: string) {
    return this.permissions.find((one) => one.id === id);
  }

  async decide(id: string, decision: 'allow' | 'allow_always' | 'deny', message?: string) {
    const index = this.permissions.findIndex((one) => one.id === id && one.state === 'pending');
    const pending = this.permissions[index];
    if (pending === undefined) return undefined;
    if (!pending.options.includes(decision)) throw this.failure;
    const decided = { ...pending, state: 'decided', decision, message, decidedAt: began + 99 } as const;
    this.permissions[index] = decided;
    return decided;
  }

  async health() {
    return { ready: this.problems.length === 0, problems: this.problems };
  }

  async metrics() {
    return '# HELP turnout_x X.\n# TYPE turnout_x gauge\nturnout_x 1\n';
  }
}

function notHere(): never {
  throw new Error('not in this gateway');
}

export interface LogLine extends LogFields {
  readonly level: string;
  readonly message: string;
}

export interface Running {
  readonly gateway: MemoryGateway;
  readonly channel: HttpChannel;
  readonly lines: LogLine[];
  readonly url: string;
  /** Sends a request with the token. A body that is no string is sent as JSON. */
  call(path: string, init?: Call): Promise<Answer>;
}

export interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it likes
  readonly json: any;
}

export async function startChannel(
  options: Partial<HttpChannelOptions> = {},
  gateway: MemoryGateway = new MemoryGateway(),
): Promise<Running> {
  const lines: LogLine[] = [];
  const log = createLog('debug', (line) => lines.push(JSON.parse(line)));
  const channel = new HttpChannel({ host: '127.0.0.1', port: 0, token, log, ...options });
  await channel.start(gateway);
  const url = `http://127.0.0.1:${channel.address.port}`;
  const call = async (path: string, { method = 'GET', body, headers }: Call = {}): Promise<Answer> => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      json: isJson && text ? JSON.parse(text) : text,
    };
  };
  return { gateway, channel, lines, url, call };
}
