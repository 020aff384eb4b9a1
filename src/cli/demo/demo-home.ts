import { join } from 'node:path';
import { type Environment, trustedHome } from '../../config/home-directory.js';

/** In TURNOUT_HOME. */
export const demoDirectory = 'demo';

/** The home of the demo: `demo` in TURNOUT_HOME. No setting of the home around it counts. */
export function demoHome(environment: Environment): string {
  return join(trustedHome(environment), demoDirectory);
}
