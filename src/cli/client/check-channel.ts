import { channelIdExpected, isChannelId } from '../../config/formats.js';
import { wrongUsage } from '../command/read-flags.js';

export function oneChannel(command: string, words: readonly string[]): string {
  if (words.length > 1) throw wrongUsage(command, `one channel is expected, got ${words.length}`);
  return checkChannel(command, words[0]);
}

export function checkChannel(command: string, channel: string | undefined): string {
  if (channel === undefined)
    throw wrongUsage(
      command,
      `a channel is expected: turnout ${command} <channel>. \`turnout history\` lists them`,
    );
  if (isChannelId(channel)) return channel;
  throw wrongUsage(command, `${JSON.stringify(channel)} can't be a channel: ${channelIdExpected}`);
}
