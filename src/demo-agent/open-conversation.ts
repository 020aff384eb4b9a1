import { randomUUID } from 'node:crypto';
import type { Agent } from './agent.js';
import { UsageError } from './arguments.js';
import { type Conversation, isUuid } from './conversation.js';
import { missingSession, missingSessionLine } from './result-line.js';

/** Returns the conversation that the command line names, or a new one. */
export async function openConversation(agent: Agent): Promise<Conversation> {
  const { resume, sessionId } = agent.options;
  if (resume !== undefined) return resumed(resume, agent);
  if (sessionId === undefined) return newConversation();
  if (!isUuid(sessionId)) throw new UsageError('Error: Invalid session ID. Must be a valid UUID.');
  if ((await agent.around.conversations.load(sessionId)) !== undefined) {
    throw new UsageError(`Error: Session ID ${sessionId} is already in use.`);
  }
  return newConversation(sessionId);
}

export function newConversation(id: string = randomUUID()): Conversation {
  return { id, turns: [] };
}

async function resumed(id: string, { options, around, model, output }: Agent): Promise<Conversation> {
  if (!isUuid(id)) {
    throw new UsageError(
      'Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>',
    );
  }
  const found = await around.conversations.load(id);
  if (found !== undefined) return found;
  if (options.outputFormat === 'stream-json') {
    await output.line(missingSessionLine(id, model));
    await output.end();
  }
  throw new UsageError(missingSession(id));
}
