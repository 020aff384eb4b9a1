import { explainFailure } from '../command/explain-failure.js';
import { printHelp } from '../command/print.js';
import { registerDemoBackend } from '../demo/demo-backend.js';
import { page, parseChatOptions } from './chat-options.js';

export { page } from './chat-options.js';

/** `turnout chat`: a conversation in the terminal, ours or in the CLI's own UI. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    // To try it without an account.
    registerDemoBackend();
    const options = parseChatOptions(argv);
    if (options === 'help') return await printHelp(page);
    if (!options.native) {
      const { startChat, joinChannel } = await import('./start-chat.js');
      return await (options.gateway === undefined
        ? startChat(options)
        : joinChannel(options.gateway, options.prompt));
    }
    const { openInterface } = await import('./open-interface.js');
    return await openInterface(options);
  } catch (error) {
    return explainFailure(error);
  }
}
