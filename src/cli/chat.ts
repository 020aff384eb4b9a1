import { TurnoutError } from '../core/errors.js';
import { exitCodeFor, exitCodes } from '../core/exit-codes.js';
import { page, parseChatOptions } from './chat-options.js';
import { openInterface } from './open-interface.js';
import { printHelp } from './print.js';

export { page } from './chat-options.js';

/** `turnout chat`: a conversation in the terminal. So far there is only the CLI's own UI. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = parseChatOptions(argv);
    if (options === 'help') return await printHelp(page);
    if (!options.native) {
      throw new TurnoutError('bad_request', "Turnout's own chat is not there yet.", {
        hint: "Use `turnout chat --native` for the CLI's own terminal UI, or `turnout run` for one turn.",
      });
    }
    return await openInterface(options);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return error.code === 'bad_request' ? exitCodes.usage : exitCodeFor(error.code);
  }
}
