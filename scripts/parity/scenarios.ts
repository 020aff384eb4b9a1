import type { ParityScenario } from './scenario.js';
import { answers } from './scenarios/answers.js';
import { failures } from './scenarios/failures.js';
import { interrupts } from './scenarios/interrupts.js';
import { permissions } from './scenarios/permissions.js';
import { sessions } from './scenarios/sessions.js';
import { tools } from './scenarios/tools.js';

export const parityScenarios: readonly ParityScenario[] = [
  ...answers,
  ...tools,
  ...permissions,
  ...sessions,
  ...interrupts,
  ...failures,
];
