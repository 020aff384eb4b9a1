import { channelIdExpected, isChannelId } from '../../../../config/formats.js';
import { isWholeText, notWholeText } from '../whole-text.js';
import { type Fields, readFields, readFlag, readText, refuseUnsupported } from './check-fields.js';
import { badField } from './open-ai-problem.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { userChannel } from './user-channel.js';

/** The fields that both kinds of requests have. */
export function readCommon(
  body: Fields,
): Pick<OpenAiRequest, 'model' | 'channel' | 'stream' | 'includeUsage' | 'metadata'> {
  refuseUnsupported(body);
  const metadata = readMetadata(body['metadata']);
  const { include_usage: includeUsage } = readFields('stream_options', body['stream_options']);
  return {
    model: readText('model', body['model']) ?? 'default',
    channel: readChannel('metadata.channel', metadata['channel']) ?? readUser(body['user']),
    stream: readFlag('stream', body['stream']),
    includeUsage: readFlag('stream_options.include_usage', includeUsage),
    metadata,
  };
}

function readMetadata(value: unknown): Readonly<Record<string, string>> {
  const fields = readFields('metadata', value);
  for (const [name, field] of Object.entries(fields))
    if (typeof field !== 'string') throw badField(`metadata.${name.slice(0, 80)}`, 'a text is expected.');
  return fields as Readonly<Record<string, string>>;
}

function readChannel(param: string, value: unknown): OpenAiRequest['channel'] {
  const id = readText(param, value);
  if (id === undefined) return undefined;
  if (isChannelId(id)) return { id, param };
  throw badField(
    param,
    `it names the conversation, and ${JSON.stringify(id.slice(0, 160))} can't: ${channelIdExpected}.`,
  );
}

/** Clients put into it whatever they know a user by; an empty one names nobody. */
function readUser(value: unknown): OpenAiRequest['channel'] {
  const user = readText('user', value);
  if (user === undefined || user === '') return undefined;
  if (!isWholeText(user)) throw badField('user', `${notWholeText}.`);
  return { id: userChannel(user), param: 'user' };
}

/** OpenAI's words for how deep to think, as those of the gateway. The others are the same, or are refused by the agent. */
export function readEffort(param: string, value: unknown): OpenAiRequest['thinking'] {
  const effort = readText(param, value);
  if (effort === undefined) return undefined;
  return { depth: effort === 'none' ? 'off' : effort, param };
}
