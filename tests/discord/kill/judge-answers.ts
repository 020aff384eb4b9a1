import type { LoopbackDiscord } from '../loopback/loopback-discord.js';
import type { Channel } from '../loopback/state/world.js';
import { notAnswered } from './death-points.js';

/** In words what became of some questions of a channel: `once` if each piece of each answer is to be seen once, all in order. */
export function judgeAnswers(
  discord: LoopbackDiscord,
  channel: Channel,
  ids: readonly string[],
  all: readonly string[] = ids,
): string {
  const seen = discord.answers(channel).map((text) => text.split(' ').slice(0, 2).join(' '));
  const pieces = (questions: readonly string[]) => questions.flatMap((id) => [`first ${id}`, `second ${id}`]);
  const wanted = pieces(ids);
  const lost = wanted.filter((piece) => !seen.includes(piece));
  const twice = wanted.filter((piece) => seen.indexOf(piece) !== seen.lastIndexOf(piece));
  const others = seen.filter((piece) => !pieces(all).includes(piece));
  if (lost.length === wanted.length) return notAnswered;
  if (lost.length > 0 || twice.length > 0)
    return [`lost: ${lost.join(', ') || 0}`, `twice: ${twice.join(', ') || 0}`].join('; ');
  if (others.length > 0) return `besides: ${others.join(', ')}`;
  return seen.filter((piece) => wanted.includes(piece)).join() === wanted.join() ? 'once' : 'out of order';
}
