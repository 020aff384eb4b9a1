import type { Scenario } from '../scenario.js';
import { answers } from './answers.js';
import { failures } from './failures.js';
import { load } from './load.js';
import { prompts } from './prompts.js';
import { sessions } from './sessions.js';
import { tools } from './tools.js';

/** All that a CLI must do, in the order in which it is tried. The first one warms it up. */
export const scenarios: readonly Scenario[] = [
  ...answers,
  ...sessions,
  ...tools,
  ...prompts,
  ...failures,
  ...load,
];
