import type { Vendor } from './side.js';
import type { Stage } from './stage.js';

/** One thing that an SDK and Turnout are both made to do, with the same script for the model. */
export interface ParityScenario {
  readonly id: string;
  readonly title: string;
  /** SDKs that can't, with the reason. */
  readonly notInSdk?: Partial<Readonly<Record<Vendor, string>>>;
  /** Why it needs a live session. */
  readonly liveOnly?: string;
  run(stage: Stage): Promise<void>;
}
