import { loadingFlag } from './send-message.js';
import { type Channel, type Json, type Message, messageTypes, type World } from './state/world.js';

/** A message as people see it. */
export interface VisibleMessage {
  readonly id: string;
  readonly author: string;
  readonly content: string;
  /** What it said before it was edited, oldest first. */
  readonly earlier: readonly string[];
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Labels of the buttons that can be clicked. */
  readonly buttons: readonly string[];
  readonly pinged: readonly string[];
  readonly replyTo?: string;
  /** A deferred answer that is still to come. */
  readonly thinking?: true;
  /** Set if only this person sees it. */
  readonly onlyFor?: string;
}

export function visibleMessages(world: World, channel: Channel): VisibleMessage[] {
  // Discord shows the message that a thread hangs on, not the empty one with which the thread begins.
  const shown = world.messagesOf(channel.id).filter(({ type }) => type !== messageTypes.threadStarter);
  return shown.map((message) => ({
    id: message.id,
    author: world.user(message.authorId).name,
    content: message.content,
    earlier: message.earlier,
    files: message.attachments.map(({ filename, bytes }) => ({
      name: filename,
      text: Buffer.from(bytes).toString(),
    })),
    buttons: buttonsOf(message)
      .filter((component) => !component['disabled'])
      .map((component) => String(component['label'])),
    pinged: message.pinged,
    ...(message.referenceId === undefined ? {} : { replyTo: message.referenceId }),
    ...((message.flags & loadingFlag) === 0 ? {} : { thinking: true }),
    ...(message.interaction?.ephemeral ? { onlyFor: world.user(message.interaction.userId).name } : {}),
  }));
}

export function buttonsOf({ components }: Message): Json[] {
  return components.flatMap((row) => row['components'] as readonly Json[]);
}
