import type { Log } from '../../../config/log.js';
import { late, within } from '../../../core/wait.js';
import type { ProcessUser } from '../../../process/process-user.js';
import type { WorkTreeFiles } from '../../../process/work-tree-files.js';
import type { DiscordLimits } from '../../../store/discord/people.js';
import type { DirectoryLock } from '../../../store/instance-lock.js';
import type { Delivery, StoredEvent } from '../../../store/rows.js';
import type { Store } from '../../../store/store.js';
import type { GatewayFace, PushedChannel } from '../types.js';
import { DiscordAccess } from './access/access.js';
import type { AllowedLists } from './access/may-speak.js';
import { nobodyMaySpeak } from './access/nobody-may-speak.js';
import { limitReached, noLongerAllowed } from './access/words.js';
import type { ConnectionState, DiscordClient, OpenClient } from './client/open-client.js';
import { deliver } from './deliver/deliver.js';
import type { FinalProblem } from './explain-closing.js';
import { Interactions } from './interactions/interactions.js';
import type { ListedCommand } from './interactions/ports.js';
import { lacksToWrite } from './permissions/lacks-to-write.js';
import { PermissionWatch } from './permissions/permission-watch.js';
import { placeInstructions } from './place-instructions.js';
import { placeTitle } from './place-title.js';
import { Progress } from './progress/progress.js';
import { attachmentsDirectory, discordOrigins, saveAttachments } from './receive/attachments.js';
import { defaultMissedLimits, type MissedLimits } from './receive/fetch-missed.js';
import { Receiver } from './receive/receiver.js';
import { removeUnfinishedAttachments } from './receive/remove-old-attachments.js';
import { readToken } from './token-form.js';
import { explainHeld, lockToken } from './token-lock.js';
import {
  channelIdOf,
  type Deliver,
  type DiscordPart,
  type DiscordSession,
  type DiscordTools,
  discordPrefix,
} from './types.js';

export interface DiscordChannelOptions {
  readonly token: string;
  readonly apiUrl?: string | undefined;
  readonly allowed: AllowedLists;
  readonly limits: DiscordLimits;
  /** Strangers get a code in a direct message. */
  readonly pairing: boolean;
  readonly maxAttachmentMb: number;
  /** Of files that come with messages; none for all but programs. */
  readonly attachmentTypes: readonly string[];
  /** So many messages of a channel are passed on with one that mentions the bot there. */
  readonly contextMessages: number;
  readonly home: string;
  readonly configDir: string;
  /** Where the token is locked: one directory for all homes. */
  readonly locks: string;
  readonly agentUser?: ProcessUser | undefined;
  readonly workTrees: WorkTreeFiles;
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  /** A permission that nobody decides about is denied after this time; 0 is never. */
  readonly permissionMs?: number | undefined;
  isCommand(text: string): boolean;
  /** The gateway's chat commands, for slash commands. */
  readonly commands: readonly ListedCommand[];
  /** Loads discord.js, which takes half a second. */
  readonly loadClient?: (() => Promise<OpenClient>) | undefined;
  readonly missed?: MissedLimits | undefined;
}

/** What is open while the channel is. */
interface Open {
  readonly client: DiscordClient;
  readonly parts: readonly DiscordPart[];
  readonly deliver: Deliver;
  /** Undefined if that can't be told at the moment. */
  maySpeak(userId: string, channelId: string): Promise<boolean | undefined>;
  readonly lock: DirectoryLock;
}

/** Discord. It is pushed: the outbox brings the gateway's messages to their channels. */
export class DiscordChannel implements PushedChannel {
  readonly type = 'pushed';
  readonly name = 'discord';
  readonly #options: DiscordChannelOptions;
  #client: DiscordClient | undefined;
  #opening: Promise<Open | undefined> | undefined;
  #session: DiscordSession | undefined;
  #state: ConnectionState = { type: 'connecting' };
  #permissions: PermissionWatch | undefined;
  #silence: Promise<void> | undefined;
  #stopped = false;

  constructor(options: DiscordChannelOptions) {
    this.#options = options;
  }

  owns(channel: string): boolean {
    return channel.startsWith(discordPrefix);
  }

  get connection(): ConnectionState['type'] {
    return this.#state.type;
  }

  /** False for a channel that Discord does not have, as far as the bot can see. While that is unknown, it counts as one. */
  async knows(channel: string): Promise<boolean> {
    const channelId = channelIdOf(channel);
    if (!/^\d{1,20}$/.test(channelId)) return false;
    if (this.#client === undefined || this.#state.type !== 'connected') return true;
    if (this.#client.channel(channelId) !== undefined) return true;
    if ((await this.#options.store.discordPlace(channelId)) !== undefined) return true;
    if ((await within(longestWaitMs, this.#client.guildsKnown())) === late) return true;
    return this.#client.channel(channelId) !== undefined;
  }

  instructions(channel: string): string {
    return placeInstructions(channel, this.#client, this.#session);
  }

  /** What keeps the bot from answering, at the moment or somewhere. */
  get problems(): readonly string[] {
    const { problem } = this;
    return problem === undefined ? (this.#permissions?.problems ?? []) : [problem];
  }

  /** Why nobody on Discord can be heard at the moment. */
  get problem(): string | undefined {
    if (this.#state.type === 'connected') return undefined;
    if (this.#state.type === 'failed') return `${this.#state.problem.message} ${this.#state.problem.hint}`;
    const { reason } = this.#state;
    return `There is no connection to Discord${reason === undefined ? ' yet' : `: ${reason}`}.`;
  }

  /** Does not wait for Discord: the rest of the gateway works without. */
  async start(gateway: GatewayFace): Promise<void> {
    const { log } = this.#options;
    const read = readToken(this.#options.token);
    if ('problem' in read) return this.#failed(read.problem);
    this.#opening = this.#open(gateway, read.token).catch((error: unknown) => {
      const problem = explainHeld(error) ?? unexpected(error);
      this.#failed(problem);
      log.debug('Discord was not opened', { error });
      return undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const open = await this.#opening;
    if (open === undefined) return;
    // Requests that wait are given up first: parts would wait for them.
    const closed = open.client.close();
    for (const part of open.parts) await part.stop?.();
    await this.#silence;
    await closed;
    await open.lock.release();
  }

  async deliver(delivery: Delivery): Promise<void> {
    const open = await this.#opening;
    const isOff = open === undefined || this.#stopped || this.#state.type === 'failed';
    if (isOff) throw new Error(this.problem ?? 'The gateway stops.');
    await open.deliver(delivery);
  }

  /** Why a message that has waited is not answered by now. */
  async refuse({ source, channel, messageId }: StoredEvent): Promise<string | undefined> {
    const { store, limits, now } = this.#options;
    if (source !== this.name || messageId === undefined) return undefined;
    const sender = await store.discordSender(messageId);
    const open = this.#state.type === 'failed' ? undefined : await this.#opening;
    if (sender !== undefined && (await open?.maySpeak(sender, channelIdOf(channel))) === false)
      return noLongerAllowed;
    const isFree = limits.userSpendPerDay === 0 && limits.channelSpendPerDay === 0;
    if (isFree) return undefined;
    const message = { messageId, channelId: channelIdOf(channel), at: now() };
    const over = await store.discordSpendReached(message, limits);
    return over && limitReached(over);
  }

  async #open(gateway: GatewayFace, token: string): Promise<Open> {
    const { apiUrl, log, store, now, isCommand, locks } = this.#options;
    const load =
      this.#options.loadClient ?? (async () => (await import('./client/open-client.js')).openClient);
    const lock = await lockToken(locks, token);
    try {
      await this.#removeUnfinished();
      const openClient = await load();
      const places = await store.discordPlaces();
      let parts: readonly DiscordPart[] = [];
      const client = openClient({
        token,
        apiUrl,
        log,
        onEvent: (event) => {
          for (const part of parts) part.handle?.(event);
        },
        onSession: (session) => {
          this.#session = session;
          log.info('connected to Discord', {
            bot: session.bot.name === undefined ? session.bot.id : `${session.bot.name} (${session.bot.id})`,
            servers: session.servers,
          });
          for (const part of parts) part.connected?.(session);
          this.#silence ??= this.#warnOfSilence();
        },
        onState: (state) => {
          if (state.type === 'failed') this.#failed(state.problem);
          else this.#state = state;
        },
      });
      this.#client = client;
      const { allowed, limits, pairing } = this.#options;
      const access = new DiscordAccess({
        ...{ api: client.api, store, allowed, limits, pairing, log, now, secret: token },
        botId: () => this.#session?.bot.id,
        startsTurn: (text) => !isCommand(text) || /^\/retry\b/i.test(text),
        lacksToWrite: (channelId) => lacksToWrite(client.guilds(), channelId),
        directChannel: (userId) => client.api.directChannel(userId),
        takeUp: (channelId, messageId) => receiver.takeUp(channelId, messageId),
      });
      const tools: DiscordTools = { api: client.api, access, session: () => this.#session };
      const receiver = new Receiver(
        {
          ...tools,
          ...{ known: client, store, log, now, isCommand },
          saveAttachments: (message, signal) => saveAttachments(this.#attachmentParts(), message, signal),
          missed: this.#options.missed ?? defaultMissedLimits,
          contextMessages: this.#options.contextMessages,
          titleOf: (place, person) => placeTitle(place, client, person),
        },
        places,
      );
      const progress = new Progress({ api: client.api, store, now, log });
      const interactions = new Interactions({
        ...{ api: client.api, access, store, log, now, commands: this.#options.commands },
        permissionMs: this.#options.permissionMs,
        promptOf: (message) => receiver.promptOf(message),
        received: (channelId) => receiver.received(channelId),
        spokenIn: (place, id) => receiver.spokenIn(place, id),
      });
      this.#permissions = new PermissionWatch({ guilds: () => client.guilds(), allowed, log });
      // An interaction is acknowledged before anything else is done.
      parts = [interactions, access, progress, receiver, this.#permissions];
      for (const part of parts) part.start?.(gateway);
      const closed = [this.#options.home, this.#options.configDir];
      const deliverParts = {
        ...{ api: client.api, store, now, workTrees: this.#options.workTrees },
        botId: () => this.#session?.bot.id,
        attachPlace: async (channel: string) => ({ workTree: (await gateway.status(channel)).cwd, closed }),
      };
      const bring: Deliver = async (delivery) => {
        if (!(await interactions.deliver(delivery))) await deliver(deliverParts, delivery);
        // A schedule may speak where nobody has spoken to the bot: replies that come while it is away are looked for.
        const channelId = channelIdOf(delivery.message.channel);
        const last = await store.lastDiscordMessage(channelId);
        const parentId = client.channel(channelId)?.thread?.parentId;
        if (last !== undefined) await receiver.spokenIn({ channelId, parentId }, last);
        progress.delivered(delivery.message.channel);
      };
      const maySpeak = (userId: string, channelId: string) => receiver.maySpeak(userId, channelId);
      return { client, parts, deliver: bring, maySpeak, lock };
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Once: whoever reads the log knows it then. */
  async #warnOfSilence(): Promise<void> {
    const { store, allowed, pairing, log } = this.#options;
    const paired = await store.discordPaired().catch(() => undefined);
    const silence = paired && nobodyMaySpeak(allowed, paired.length, pairing);
    if (silence !== undefined) log.warn(silence);
  }

  /** No download begins before the client is there. */
  async #removeUnfinished(): Promise<void> {
    const { home, agentUser, log } = this.#options;
    try {
      await removeUnfinishedAttachments(attachmentsDirectory(home, agentUser));
    } catch (error) {
      log.warn('what a crash has left of downloads could not be removed', { error });
    }
  }

  #failed(problem: FinalProblem): void {
    this.#state = { type: 'failed', problem };
    this.#options.log.error(`${problem.message} Discord is off until then; the rest of the gateway works.`, {
      hint: problem.hint,
    });
  }

  #attachmentParts() {
    const { home, agentUser: user, apiUrl, maxAttachmentMb, log } = this.#options;
    return {
      directory: attachmentsDirectory(home, user),
      limits: {
        maxBytes: maxAttachmentMb * 2 ** 20,
        maxTotalBytes: 4 * maxAttachmentMb * 2 ** 20,
        maxCount: 10,
        types: this.#options.attachmentTypes,
        timeoutMs: 60_000,
      },
      // A proxy or a test server serves the files, too.
      origins: apiUrl === undefined ? discordOrigins : [...discordOrigins, new URL(apiUrl).origin],
      fetch,
      log,
      user,
    };
  }
}

/** For what Discord tells of its servers, after the session has begun. */
const longestWaitMs = 2000;

function unexpected(error: unknown): FinalProblem {
  const message = error instanceof Error ? error.message : String(error);
  return { code: 0, message: `Discord can't be used: ${message}`, hint: 'The log says more.' };
}
