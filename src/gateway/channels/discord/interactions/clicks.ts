import { summarizeToolInput } from '../../../../core/tool-input.js';
import type { GatewayFace } from '../../types.js';
import { type ButtonAction, readCustomId } from './custom-id.js';
import { verdicts } from './permission-message.js';
import { readNote, writeNote } from './permission-note.js';
import { channelPrefix, type InteractionParts } from './ports.js';
import type { ReadClick } from './read-interaction.js';
import { notAllowed } from './slash-answers.js';

const outdated = 'This button is of no use any more.';

/**
 * Does what a button says. Returns what the one who clicked is told if it was not done: what was done shows in the post, which is
 * brought up to date afterwards.
 */
export async function click(
  read: ReadClick,
  parts: InteractionParts,
  gateway: GatewayFace,
): Promise<string | undefined> {
  const { speaker, place, customId, messageId } = read;
  const { access, store, log, now = Date.now } = parts;
  const action = readCustomId(customId);
  if (action === undefined) return outdated;
  if (!(await access.may(speaker, place))) return notAllowed;
  const channel = channelPrefix + place.channelId;
  if (action.type === 'stop') {
    const { turnId } = action;
    const isStopped = await gateway.interrupt(channel, { turnId, by: speaker.name });
    return isStopped ? undefined : 'This turn does not run any more.';
  }
  if (action.type !== 'decide') return changeQueue(action, read, parts, gateway);

  const { permissionId, decision } = action;
  const permission = await gateway.permission(permissionId);
  if (permission?.channel !== channel) return outdated;
  if (permission.state === 'pending') {
    // Written down first: after a crash it is still known who has decided.
    const post = { type: 'permission', subject: permissionId, channel, messageId, at: now() } as const;
    const { asked } = readNote((await store.discordPost('permission', permissionId))?.note);
    await store.saveDiscordPost({ ...post, note: writeNote({ asked, decision, by: speaker.id }) });
    const decided = await gateway.decide(permissionId, decision);
    if (decided !== undefined) {
      const { tool, input } = decided;
      const what = { tool, action: summarizeToolInput(tool, input), decision };
      const by = { user: speaker.id, name: speaker.name };
      log.info('a permission was decided on Discord', { channel, permission: permissionId, ...what, ...by });
      return undefined;
    }
  }
  const known = await gateway.permission(permissionId);
  if (known?.decision === undefined)
    return 'Nobody has to decide this any more: the turn has ended, or asks anew.';
  return `This was decided already: ${verdicts[known.decision].toLowerCase()}.`;
}

async function changeQueue(
  { type, eventId }: Extract<ButtonAction, { type: 'cancel' | 'runNext' }>,
  { speaker, place, messageId }: ReadClick,
  { api, store }: InteractionParts,
  gateway: GatewayFace,
): Promise<string | undefined> {
  const event = await gateway.event(eventId);
  if (event?.channel !== channelPrefix + place.channelId) return outdated;
  const isDone =
    type === 'cancel' ? await gateway.cancel(eventId) : await gateway.runNext(eventId, { by: speaker.name });
  if (!isDone) return 'This message does not wait any more.';
  if (type === 'runNext') return undefined;
  // The note stays: whoever wrote the message has to know why it is not answered.
  await store.removeDiscordPost('queued', eventId);
  const content = `-# Cancelled by <@${speaker.id}>.`;
  await api.edit(place.channelId, messageId, { content, components: [], allowed_mentions: { parse: [] } });
  return undefined;
}
