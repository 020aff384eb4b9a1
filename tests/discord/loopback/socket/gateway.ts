import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Violations } from '../state/violations.js';
import type { Wire } from '../state/wire.js';
import { Connection } from './connection.js';
import { Events, type GatewayEvent, intents } from './events.js';
import { Session } from './session.js';

export interface GatewayOptions {
  readonly token: string;
  readonly wire: Wire;
  readonly violations: Violations;
  readonly heartbeatInterval: number;
  readonly url: () => string;
}

/** How long a session waits for its client to come back. Discord tells nobody; it is a matter of minutes. */
const sessionLife = 3 * 60_000;

/** The side of Discord that pushes: sockets, sessions, and what can go wrong with them. */
export class LoopbackGateway {
  readonly events: Events;
  /** How many sessions have begun: Discord allows 1,000 a day. */
  identifies = 0;
  resumes = 0;
  /** The switches of the application's page: without them Discord closes with 4014 whoever asks for the intent. */
  readonly allowed = { messageContent: true, guildMembers: false, presences: false };
  /** As long as it is false, heartbeats stay without an answer: the client takes the connection for dead. */
  acknowledgesHeartbeats = true;
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Set<Connection>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  #held: GatewayEvent[] | undefined;
  #twice = 0;
  #closeAtHello: number[] = [];
  /** Sockets that wait in front of the door while Discord is out of reach. */
  #waiting: (() => void)[] | undefined;

  constructor(private readonly options: GatewayOptions) {
    this.events = new Events(options.wire.world, options.wire);
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const open = () =>
        this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#connect(opened));
      if (this.#waiting) this.#waiting.push(open);
      else open();
    });
  }

  get connected(): boolean {
    return [...this.#connections].some(({ session }) => session !== undefined);
  }

  publish(event: GatewayEvent): void {
    if (this.#held) {
      this.#held.push(event);
      return;
    }
    const times = this.#twice > 0 ? 2 : 1;
    if (this.#twice > 0) this.#twice -= 1;
    for (let i = 0; i < times; i += 1) for (const session of this.#sessions.values()) session.dispatch(event);
  }

  /** The connection breaks without a goodbye. The client may resume, unless Discord forgets its session: op 9. */
  drop({ forget = false } = {}): void {
    if (forget) this.#sessions.clear();
    for (const connection of this.#connections) connection.drop();
  }

  /** Op 7: the client is asked to reconnect and resume. */
  askToReconnect(): void {
    for (const connection of this.#connections) connection.send({ op: 7, d: null });
  }

  /** Op 9. If it isn't resumable, all that comes until the client has a new session is never dispatched. */
  invalidate(resumable: boolean): void {
    if (!resumable) this.#sessions.clear();
    for (const connection of this.#connections) connection.invalidate(resumable);
  }

  close(code: number): void {
    for (const connection of this.#connections) connection.close(code);
  }

  /** The next socket is closed with this code as soon as it is open, as 4004 and 4014 do. */
  closeNext(code: number): void {
    this.#closeAtHello.push(code);
  }

  /** Cuts the client off, until `comeBack`. */
  goAway({ forget = false } = {}): void {
    this.#waiting ??= [];
    this.drop({ forget });
  }

  comeBack(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const open of waiting) open();
  }

  /** The next events are dispatched twice. */
  duplicateNext(count = 1): void {
    this.#twice += count;
  }

  /** Keeps events back, until `release` lets them go in the same or another order. */
  hold(): void {
    this.#held ??= [];
  }

  release(order: (events: GatewayEvent[]) => GatewayEvent[] = (events) => events): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of order(held)) this.publish(event);
  }

  stop(): void {
    this.comeBack();
    this.drop();
    this.#sockets.close();
  }

  #connect(socket: WebSocket): void {
    const code = this.#closeAtHello.shift();
    if (code !== undefined) {
      socket.close(code);
      return;
    }
    const connection: Connection = new Connection(socket, {
      token: this.options.token,
      heartbeatInterval: this.options.heartbeatInterval,
      violations: this.options.violations,
      disallowedIntents: () => this.#disallowed(),
      acknowledges: () => this.acknowledgesHeartbeats,
      begin: (identifiedIntents) => this.#begin(identifiedIntents),
      find: (id) => this.#resumed(id),
      end: (session) => this.#sessions.delete(session.id),
      greet: (session) => this.#greet(session),
    });
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
  }

  #begin(identifiedIntents: number): Session {
    this.identifies += 1;
    const session = new Session(identifiedIntents, () => this.options.wire.world.clock.now());
    this.#sessions.set(session.id, session);
    return session;
  }

  #resumed(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    const since = this.options.wire.world.clock.now() - sessionLife;
    if (!session || (session.detachedAt ?? since) < since) return undefined;
    this.resumes += 1;
    return session;
  }

  #greet(session: Session): void {
    const { wire, url } = this.options;
    const { bot, guilds } = wire.world;
    session.push('READY', {
      v: 10,
      user: wire.user(bot),
      guilds: [...guilds.keys()].map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: url(),
      application: { id: bot.id, flags: 0 },
      private_channels: [],
      shard: [0, 1],
    });
    for (const guild of guilds.values()) session.dispatch(this.events.guild('GUILD_CREATE', guild));
  }

  #disallowed(): number {
    const { messageContent, guildMembers, presences } = this.allowed;
    return (
      (messageContent ? 0 : intents.messageContent) |
      (guildMembers ? 0 : intents.guildMembers) |
      (presences ? 0 : intents.presences)
    );
  }
}
