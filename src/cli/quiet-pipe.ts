import { exitCodes } from '../core/exit-codes.js';

/** A reader that leaves (`| head -1`) has got what it wanted: the command ends, without a word. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ECONNRESET') process.exit(exitCodes.done);
    process.stderr.write(`turnout: stdout can't be written: ${error.message}\n`);
    process.exit(exitCodes.failed);
  });
}
