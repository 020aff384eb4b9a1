import { describe } from 'vitest';
import { describeAccepting } from './store/accepting.js';
import { describeConversing } from './store/conversing.js';
import { describeDelivering } from './store/delivering.js';
import { describeDiscordPeople } from './store/discord-people.js';
import { describeDiscordPieces } from './store/discord-pieces.js';
import { describePlaces } from './store/discord-places.js';
import { describePosting } from './store/discord-posts.js';
import { describeFencing } from './store/fencing.js';
import { describeInterleaving } from './store/interleaving.js';
import { describeKeeping } from './store/keeping.js';
import { describeLooking } from './store/looking.js';
import { describePermitting } from './store/permitting.js';
import { describeReporting } from './store/reporting.js';
import { type OpenStore, StoreStage } from './store/stage.js';
import { describeTurning } from './store/turning.js';
import { describeWaiting } from './store/waiting.js';

/** The contract of every store. `open` opens the store in a directory, also again after it was closed. */
export function describeStore(name: string, open: OpenStore): void {
  describe(`store contract: ${name}`, () => {
    const stage = new StoreStage(open);
    describeAccepting(stage);
    describeTurning(stage);
    describeFencing(stage);
    describeDelivering(stage);
    describeDiscordPieces(stage);
    describePermitting(stage);
    describeConversing(stage);
    describeKeeping(stage);
    describeLooking(stage);
    describeReporting(stage);
    describePlaces(stage);
    describeDiscordPeople(stage);
    describePosting(stage);
    describeWaiting(stage);
  });
  describe(`store properties: ${name}`, () => describeInterleaving(open));
}
