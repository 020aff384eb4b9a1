import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Interactions } from './interactions.js';
import type { Parts } from './parts.js';
import { People } from './people.js';
import { Faults } from './rest/faults.js';
import { RateLimits } from './rest/rate-limits.js';
import { applicationRoutes } from './rest/routes/application-routes.js';
import { cdnRoutes } from './rest/routes/cdn-routes.js';
import { channelRoutes } from './rest/routes/channel-routes.js';
import { interactionRoutes } from './rest/routes/interaction-routes.js';
import { messageRoutes } from './rest/routes/message-routes.js';
import { RestServer } from './rest/server.js';
import { LoopbackGateway } from './socket/gateway.js';
import { MovableClock } from './state/clock.js';
import type { Permission } from './state/permissions.js';
import { type Violation, Violations } from './state/violations.js';
import { Wire } from './state/wire.js';
import { type Channel, channelTypes, type Guild, type User, World } from './state/world.js';
import { type VisibleMessage, visibleMessages } from './visible-messages.js';

export interface LoopbackOptions {
  readonly token?: string;
  /** Milliseconds between heartbeats. */
  readonly heartbeatInterval?: number;
  /** Shortens the windows of the rate limits: see RateLimits. */
  readonly rateLimitScale?: number;
  readonly maxUploadBytes?: number;
}

/**
 * A Discord of our own on 127.0.0.1: HTTP API and gateway for the real discord.js client, strict, with faults on demand.
 *
 *     const discord = await LoopbackDiscord.start();
 *     const anna = discord.people.join('anna');
 *     discord.faults.order('POST /channels/:channel/messages', { type: 'error', commit: true });
 *     discord.people.write(anna, discord.channel, `${discord.mention} hello`);
 *     await until(() => discord.answers(discord.channel).length === 1);
 *     expect(discord.violations).toEqual([]);
 */
export class LoopbackDiscord {
  readonly token: string;
  readonly clock = new MovableClock();
  readonly world = new World(this.clock);
  readonly faults = new Faults();
  readonly gateway: LoopbackGateway;
  readonly rest: RestServer;
  readonly interactions: Interactions;
  readonly people: People;
  /** The guild and the channel that are there from the start. */
  readonly guild: Guild;
  readonly channel: Channel;
  readonly #parts: Parts;
  readonly #violations = new Violations();
  #port = 0;

  static async start(options: LoopbackOptions = {}): Promise<LoopbackDiscord> {
    const discord = new LoopbackDiscord(options);
    const { server } = discord.rest;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    discord.#port = (server.address() as AddressInfo).port;
    return discord;
  }

  private constructor(options: LoopbackOptions) {
    const { clock, world, faults } = this;
    this.token = options.token ?? 'loopback.bot.token';
    this.guild = world.addGuild('workshop');
    this.channel = this.addChannel('general');
    const violations = this.#violations;
    const wire = new Wire(world, () => this.origin);
    this.interactions = new Interactions(clock, violations);
    const gatewayUrl = () => `ws://127.0.0.1:${this.#port}`;
    const heartbeatInterval = options.heartbeatInterval ?? 41_250;
    this.gateway = new LoopbackGateway({
      token: this.token,
      wire,
      violations,
      heartbeatInterval,
      url: gatewayUrl,
    });
    this.#parts = {
      clock,
      world,
      wire,
      violations,
      gateway: this.gateway,
      interactions: this.interactions,
      maxUploadBytes: options.maxUploadBytes ?? 10 * 1024 * 1024,
      gatewayUrl,
      typing: new Map(),
      sentNonces: [],
    };
    this.people = new People(this.#parts, this.guild);
    const parts = this.#parts;
    this.rest = new RestServer({
      token: this.token,
      faults,
      violations,
      rateLimits: new RateLimits(clock, options.rateLimitScale ?? 0.02),
      routes: [
        ...messageRoutes(parts),
        ...channelRoutes(parts),
        ...applicationRoutes(parts),
        ...interactionRoutes(parts),
      ],
      cdn: cdnRoutes(parts),
    });
    this.gateway.attach(this.rest.server);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What DISCORD_API_URL takes. */
  get apiUrl(): string {
    return `${this.origin}/api`;
  }

  get bot(): User {
    return this.world.bot;
  }

  /** What people write to speak to the bot. */
  get mention(): string {
    return `<@${this.bot.id}>`;
  }

  /** Everything that the client has done against the rules of Discord. */
  get violations(): readonly Violation[] {
    return this.#violations.list;
  }

  addChannel(name: string, guild = this.guild): Channel {
    const channel = this.world.addChannel({ type: channelTypes.text, name, guildId: guild.id });
    // While the first guild is made, there is no gateway yet.
    this.gateway?.publish(this.gateway.events.channel('CHANNEL_CREATE', channel));
    return channel;
  }

  addGuild(name: string): Guild {
    const guild = this.world.addGuild(name);
    this.gateway.publish(this.gateway.events.guild('GUILD_CREATE', guild));
    return guild;
  }

  /** The id of a new role. */
  addRole(name: string, guild = this.guild): string {
    const role = { id: this.clock.nextId(), name };
    guild.roles.push(role);
    return role.id;
  }

  /** The id of the role that Discord makes for a bot which is invited with permissions. It is known to sessions that begin later. */
  addOwnRole(guild = this.guild): string {
    const role = { id: this.clock.nextId(), name: this.bot.name, botId: this.bot.id };
    guild.roles.push(role);
    return role.id;
  }

  deleteChannel(channel: Channel): void {
    const isThread = channel.type === channelTypes.thread;
    const { events } = this.gateway;
    const event = isThread
      ? events.thread('THREAD_DELETE', channel)
      : events.channel('CHANNEL_DELETE', channel);
    this.world.channels.delete(channel.id);
    this.gateway.publish(event);
  }

  /** Gives the bot a permission in a channel and its threads, or takes it away. */
  permit(channel: Channel, permission: Permission, allowed: boolean): void {
    if (allowed) channel.permissions.add(permission);
    else channel.permissions.delete(permission);
    this.gateway.publish(this.gateway.events.channel('CHANNEL_UPDATE', channel));
  }

  /** The messages that are to be seen in a channel, oldest first. */
  visible(channel: Channel): VisibleMessage[] {
    return visibleMessages(this.world, channel);
  }

  /** What the bot says there, oldest first. */
  answers(channel: Channel): string[] {
    return this.visible(channel)
      .filter(({ author }) => author === this.bot.name)
      .map(({ content }) => content);
  }

  /** When the bot has said that it is typing, and whether people see it: for 10 seconds, or until it has written. */
  typing(channel: Channel): { readonly times: readonly number[]; readonly now: boolean } {
    const times = this.#parts.typing.get(channel.id) ?? [];
    const last = times.at(-1) ?? 0;
    const written = this.world.messagesOf(channel.id).findLast(({ authorId }) => authorId === this.bot.id);
    return { times, now: last > (written?.createdAt ?? 0) && this.clock.now() - last < 10_000 };
  }

  async stop(): Promise<void> {
    this.faults.stop();
    this.gateway.stop();
    const closed = once(this.rest.server, 'close');
    this.rest.server.close();
    this.rest.server.closeAllConnections();
    await closed;
  }
}
