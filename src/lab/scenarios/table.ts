import type { Scenario } from '../scenario.js';
import { answers } from './answers.js';
import { failures } from './failures.js';
import { load } from './load.js';
import { prompts } from './prompts.js';
import { sessions } from './sessions.js';
import { tools } from './tools.js';

/** All scenarios, in the order in which they run. The first one warms the CLI up. */
export const scenarios: readonly Scenario[] = [
  ...answers,
  ...sessions,
  ...tools,
  ...prompts,
  ...failures,
  ...load,
];
