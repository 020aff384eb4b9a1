import type {
  APIChannel,
  APIGuildMember,
  APIInteractionResponse,
  APIMessage,
  RESTPatchAPIChannelMessageJSONBody,
  RESTPostAPIChannelMessageJSONBody,
  RESTPutAPIApplicationCommandsJSONBody,
} from 'discord.js';

/**
 * Discord's HTTP interface as the parts of the channel use it, in Discord's own JSON. Requests of a channel keep their order, and
 * rate limits are waited out behind it; after a 5xx all but what posts something is tried again. What it rejects with is a
 * `DiscordProblem`, also if a `signal` has given the request up: whether it was done is unknown then.
 */
export interface DiscordApi {
  /** Tried once, and not if it would have to wait for long. Without an answer it is unknown whether the message is there. */
  send(
    channelId: string,
    body: RESTPostAPIChannelMessageJSONBody,
    files?: readonly OutgoingFile[],
    signal?: AbortSignal,
  ): Promise<APIMessage>;
  edit(
    channelId: string,
    messageId: string,
    body: RESTPatchAPIChannelMessageJSONBody,
    signal?: AbortSignal,
  ): Promise<APIMessage>;
  remove(channelId: string, messageId: string): Promise<void>;
  /** Newest first with `before` or none of both, oldest first with `after`; at most 100. */
  messages(
    channelId: string,
    page: { readonly after?: string; readonly before?: string; readonly limit: number },
  ): Promise<readonly APIMessage[]>;
  channel(channelId: string): Promise<APIChannel>;
  /** Somebody in a guild, with the ids of the roles: messages of the history come without. */
  member(guildId: string, userId: string): Promise<APIGuildMember>;
  /** The channel of direct messages with somebody. */
  directChannel(userId: string): Promise<APIChannel>;
  typing(channelId: string, signal?: AbortSignal): Promise<void>;
  /** The first answer to an interaction: within 3 seconds. */
  respond(interaction: InteractionKey, response: APIInteractionResponse, signal?: AbortSignal): Promise<void>;
  /** The first answer, as Discord has it. */
  response(interaction: InteractionKey): Promise<APIMessage>;
  /** Changes the first answer, within 15 minutes. */
  editResponse(interaction: InteractionKey, body: RESTPatchAPIChannelMessageJSONBody): Promise<APIMessage>;
  /** One more answer, within 15 minutes. */
  followUp(interaction: InteractionKey, body: RESTPostAPIChannelMessageJSONBody): Promise<APIMessage>;
  /** Sets the slash commands of the bot, everywhere. */
  setCommands(commands: RESTPutAPIApplicationCommandsJSONBody): Promise<void>;
}

export interface OutgoingFile {
  readonly name: string;
  readonly data: Uint8Array;
}

export interface InteractionKey {
  readonly id: string;
  readonly token: string;
}

/** What Discord answers to a request that fails. */
export class DiscordProblem extends Error {
  override readonly name = 'DiscordProblem';

  constructor(
    message: string,
    /** The status of HTTP; undefined if there was no answer: whether it was done is unknown then. */
    readonly status: number | undefined,
    /** Discord's own code, such as 10003 for a channel that is not there. */
    readonly code: number | undefined,
  ) {
    super(message);
  }
}

/** Discord's flag of a message that makes no notification. */
export const silent = 1 << 12;

/** Discord's flag of a message without previews of its links. It tells what the gateway says of its own accord from answers. */
export const withoutPreviews = 1 << 2;
