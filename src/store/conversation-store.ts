import type {
  ChannelDigest,
  ChannelOverview,
  ChannelState,
  ConversationMessage,
  MessageOutline,
  StoredMessage,
  StoredSession,
} from './rows.js';

/** The channels: their settings, their sessions with the CLIs, and what was said in them. */
export interface ConversationStore {
  /** The vendor's session of a channel with a backend. */
  session(channel: string, backend: string): Promise<StoredSession | undefined>;
  saveSession(session: StoredSession): Promise<void>;
  forgetSession(channel: string, backend: string): Promise<void>;
  /** The sessions that channels go on with. */
  sessions(): Promise<readonly StoredSession[]>;
  /**
   * The channel begins a new conversation with a session that a CLI has made by itself, and a message says so. Nothing is
   * changed if a turn runs or waits in the channel (`busy`), or a channel goes on with the session already (`taken`).
   */
  adoptSession(adoption: Adoption, at: number): Promise<'adopted' | 'busy' | 'taken'>;
  channel(channel: string): Promise<ChannelState>;
  changeChannel(channel: string, change: ChannelChange): Promise<void>;
  /** Any message that is written later brings an archived channel back. False if there is no such channel. */
  changeListing(channel: string, change: ListingChange): Promise<boolean>;
  /**
   * Marks the end of a conversation, which the event is, until anything else is said in its channel. Nothing is marked if
   * something was said since.
   */
  markEnd(eventId: string, mark: string): Promise<void>;
  /** A channel whose conversation ends with the mark, for one caller: the mark is gone then. */
  takeMarked(mark: string): Promise<string | undefined>;
  channels(): Promise<readonly ChannelOverview[]>;
  channelNames(): Promise<readonly { readonly channel: string; readonly title?: string | undefined }[]>;
  /** The channel with the newest message first; those of `only`, or all. */
  channelDigests(query: DigestQuery): Promise<readonly ChannelDigest[]>;
  /**
   * The messages of a channel, oldest first: the first ones behind `after`, or the last ones in front of `before`. Both are
   * ids of messages.
   */
  messages(channel: string, page: MessagePage): Promise<readonly StoredMessage[]>;
  /** What a channel's next message is about, without its text. */
  nextMessage(channel: string, after: number): Promise<MessageOutline | undefined>;
  /** Messages of all channels, newest first, each with the beginning of its text. */
  newestMessages(page: NewestPage): Promise<readonly StoredMessage[]>;
  /**
   * The messages of the present conversation behind event `after`, of events that an agent has answered or failed to
   * answer (not of cancelled ones): the newest `limit`, oldest first. Each prompt's own text (scheduled ones too), then
   * the answer, or the notice at the end of one that failed.
   */
  conversation(channel: string, page: ConversationPage): Promise<readonly ConversationMessage[]>;
  /** The beginning of the first prompt of a channel's present conversation. */
  firstPrompt(channel: string): Promise<string | undefined>;
}

/** `null` takes a setting back. */
export interface ChannelChange {
  readonly backend?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly thinking?: string | null | undefined;
  readonly queueMode?: string | null | undefined;
  /** Forgets the channel's sessions and starts the conversation anew. */
  readonly newConversation?: boolean | undefined;
}

/** `null` takes the title back. */
export interface ListingChange {
  readonly title?: string | null | undefined;
  readonly archived?: boolean | undefined;
}

export interface Adoption {
  readonly session: Omit<StoredSession, 'seen'>;
  readonly change: Omit<ChannelChange, 'newConversation'>;
  /** The message. */
  readonly text: string;
}

export interface DigestQuery {
  readonly only?: readonly string[] | undefined;
  /** Only the archived ones, or only the others. */
  readonly archived?: boolean | undefined;
  readonly limit: number;
}

export interface MessagePage {
  readonly after?: number | undefined;
  /** Then the page ends in front of this message, and `after` does not count. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface NewestPage {
  readonly before?: number | undefined;
  readonly limit: number;
  /** The most characters of a text that are read. */
  readonly maxCharacters: number;
}

export interface ConversationPage {
  /** The seq of an event: a session's `seen`. (Not a message's id: waiting messages are stored before a running answer.) */
  readonly after?: number | undefined;
  readonly limit: number;
  /** Only messages from before this event, and none of its own. */
  readonly beforeSeq?: number | undefined;
}
