import { setTimeout as sleep } from 'node:timers/promises';
import type { EventView, PersistentClient } from './persistent-client.js';

/** The work that a message asks of the quick agent. */
export type Work = 'plain' | 'slow' | 'long' | 'tool' | 'flaky' | 'deep' | 'wide' | 'leave' | 'flood';

export interface LoadedMessage {
  readonly id: string;
  readonly channel: string;
  readonly work: Work;
  readonly text: string;
}

/** A message with its events. */
export interface SentMessage extends LoadedMessage {
  readonly eventId: string;
  /** The events of the `/retry`s that the gateway's notices asked for. */
  readonly retries: readonly string[];
}

export interface Load {
  readonly channels: number;
  readonly perChannel: number;
  work(index: number): Work;
  text(id: string, work: Work): string;
  /** The longest pause between two messages of a channel. */
  readonly pauseMs: number;
}

export function messagesOf(load: Load): readonly (readonly LoadedMessage[])[] {
  return Array.from({ length: load.channels }, (_, channelIndex) => {
    const channel = `c${String(channelIndex + 1).padStart(2, '0')}`;
    return Array.from({ length: load.perChannel }, (_, index) => {
      const id = `${channel}-${String(index + 1).padStart(3, '0')}`;
      const work = load.work(channelIndex + index);
      return { id, channel, work, text: load.text(id, work) };
    });
  });
}

/** Sends to all channels side by side; in each, a message follows when the one before it is acknowledged. */
export async function sendAll(
  client: PersistentClient,
  load: Load,
  random: () => number,
): Promise<readonly SentMessage[]> {
  const channels = await Promise.all(
    messagesOf(load).map(async (messages) => {
      const sent: SentMessage[] = [];
      for (const message of messages) {
        await sleep(random() * load.pauseMs);
        const eventId = await client.post(message.channel, message.text, message.id);
        sent.push({ ...message, eventId, retries: await retried(client, message, eventId) });
      }
      return sent;
    }),
  );
  return channels.flat();
}

/** If the message asks for effects, its sender waits, reads that it was broken off, and sends `/retry`. */
async function retried(
  client: PersistentClient,
  message: LoadedMessage,
  eventId: string,
): Promise<readonly string[]> {
  const retries: string[] = [];
  if (message.work !== 'tool' && message.work !== 'deep') return retries;
  let event: EventView = await client.ended(eventId);
  while (event.state === 'failed' && retries.length < 8) {
    const key = `${message.id}-retry-${retries.length + 1}`;
    const retry = await client.post(message.channel, '/retry', key);
    retries.push(retry);
    event = await client.ended(retry);
  }
  return retries;
}
