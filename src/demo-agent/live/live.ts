import { prepareAgent, type Surroundings } from '../agent.js';
import type { Options } from '../arguments.js';
import { openConversation } from '../open-conversation.js';
import { inOrder } from '../output.js';
import { tellEnd } from './call-hooks.js';
import { lifecycleLine } from './live-lines.js';
import { readMessages } from './read-messages.js';
import { LiveSession } from './session.js';

/** `--input-format stream-json`: runs turn after turn, until stdin ends. */
export async function runLive(options: Options, around: Surroundings): Promise<number> {
  const prepared = await prepareAgent(options, around);
  // The output is ordered, because answers to control requests come in the middle of turns.
  const agent = { ...prepared, output: inOrder(prepared.output) };
  const session = new LiveSession(agent, await openConversation(agent));
  const { signal } = around;
  signal.addEventListener('abort', () => session.leave(), { once: true });
  const tellTheEnd = () => void tellEnd(session).catch(() => undefined);
  process.once('SIGTERM', tellTheEnd);
  await Promise.all([hear(session, around), session.answerAll()]);
  process.off('SIGTERM', tellTheEnd);
  await tellEnd(session);
  // As with Claude, the last result decides the exit code, but SIGINT is no failure.
  return session.hasFailed && !signal.aborted ? 1 : 0;
}

async function hear(session: LiveSession, { stdin, signal }: Surroundings): Promise<void> {
  const { output, inbox, client } = session;
  for await (const message of readMessages(stdin, signal)) {
    switch (message.type) {
      case 'user':
        if (message.id !== undefined) await output.line(lifecycleLine(session.id, message.id, 'queued'));
        await inbox.put(message);
        break;
      case 'control_request':
        await session.control(message.id, message.request);
        break;
      case 'control_response':
        if (session.replaysMessages) await output.line(message.raw);
        client.settle(message.response);
        break;
    }
  }
  client.close();
  inbox.close();
}
