// The commands' own name for them; the runner needs them as well.
export { exitCodeFor, exitCodes } from '../core/exit-codes.js';
