import type { GatewayFace } from '../../types.js';
import { type ButtonAction, readCustomId } from './custom-id.js';
import { verdicts } from './permission-message.js';
import { channelPrefix, type InteractionParts } from './ports.js';
import type { ReadClick } from './read-interaction.js';
import { notAllowed } from './slash-answers.js';

const outdated = 'This button is of no use any more.';

/** Does what a button says, and returns what the one who clicked is told. The post itself is brought up to date afterwards. */
export async function click(
  { speaker, place, customId, messageId }: ReadClick,
  { access, store, now = Date.now }: InteractionParts,
  gateway: GatewayFace,
): Promise<string> {
  const action = readCustomId(customId);
  if (action === undefined) return outdated;
  if (!(await access.may(speaker, place))) return notAllowed;
  const channel = channelPrefix + place.channelId;
  if (action.type !== 'decide') return changeQueue(action, channel, speaker.name, gateway);

  const { permissionId, decision } = action;
  const permission = await gateway.permission(permissionId);
  if (permission?.channel !== channel) return outdated;
  if (permission.state === 'pending') {
    // Written down first: after a crash it is still known who has decided.
    const post = { type: 'permission', subject: permissionId, channel, messageId, at: now() } as const;
    await store.saveDiscordPost({ ...post, note: `${decision} ${speaker.id}` });
    const decided = await gateway.decide(permissionId, decision);
    if (decided !== undefined) return `${verdicts[decision]}.`;
  }
  const known = await gateway.permission(permissionId);
  if (known?.decision === undefined) return 'Nobody has to decide this any more: the turn has ended.';
  return `This was decided already: ${verdicts[known.decision].toLowerCase()}.`;
}

async function changeQueue(
  { type, eventId }: Extract<ButtonAction, { type: 'cancel' | 'runNext' }>,
  channel: string,
  by: string,
  gateway: GatewayFace,
): Promise<string> {
  const event = await gateway.event(eventId);
  if (event?.channel !== channel) return outdated;
  const isDone = type === 'cancel' ? await gateway.cancel(eventId) : await gateway.runNext(eventId, { by });
  if (!isDone) return 'This message does not wait any more.';
  return type === 'cancel' ? 'Cancelled: it won’t run.' : 'The turn was stopped: this message comes next.';
}
