import type { DiscordPlace, DiscordPlaceStore } from '../../../../store/discord/places.js';
import { idAt, idBefore, isNewer, timeOf } from '../snowflake.js';

/** Discord may tell of a message after one that was written later: so much earlier ones may be on their way still. */
const onTheirWayMs = 2 * 60_000;

/** The channels in which the bot was spoken to, each with the message up to which all are settled there. */
export class SeenPlaces {
  readonly #store: DiscordPlaceStore;
  readonly #places: Map<string, DiscordPlace>;
  /** Those that the store does not know: nothing for the bot was received there yet. */
  readonly #unsaved = new Set<string>();

  /** `places` are those of the store. */
  constructor(store: DiscordPlaceStore, places: readonly DiscordPlace[]) {
    this.#store = store;
    this.#places = new Map(places.map((place) => [place.channelId, place]));
  }

  get channelIds(): readonly string[] {
    return [...this.#places.keys()];
  }

  get(channelId: string): DiscordPlace | undefined {
    return this.#places.get(channelId);
  }

  /** A message for the bot is about to be received: from here on it is found after a crash. */
  async speaks(place: Omit<DiscordPlace, 'seen'>, messageId: string): Promise<void> {
    const { channelId } = place;
    const isNew = !this.#places.has(channelId) || this.#unsaved.has(channelId);
    if (isNew) await this.#save({ ...place, seen: idBefore(messageId) });
  }

  /** A message is settled, and with it those that were written long enough before it. */
  async saw(channelId: string, messageId: string): Promise<void> {
    await this.settled(channelId, idAt(timeOf(messageId) - onTheirWayMs));
  }

  /** All up to here are settled. Only channels that have a place: in others nothing is to be caught up with. */
  async settled(channelId: string, messageId: string): Promise<void> {
    const place = this.#places.get(channelId);
    if (place === undefined || !isNewer(messageId, place.seen)) return;
    const moved = { ...place, seen: messageId };
    if (this.#unsaved.has(channelId)) this.#places.set(channelId, moved);
    else await this.#save(moved);
  }

  /** The message and those behind it count as not seen, until this process ends. */
  goBackTo(channelId: string, messageId: string): void {
    if (!this.#places.has(channelId)) this.#unsaved.add(channelId);
    this.#places.set(channelId, { ...this.#places.get(channelId), channelId, seen: idBefore(messageId) });
  }

  async forget(channelId: string): Promise<void> {
    this.#places.delete(channelId);
    this.#unsaved.delete(channelId);
    await this.#store.forgetDiscordPlace(channelId);
  }

  async #save(place: DiscordPlace): Promise<void> {
    await this.#store.saveDiscordPlace(place);
    this.#places.set(place.channelId, place);
    this.#unsaved.delete(place.channelId);
  }
}
