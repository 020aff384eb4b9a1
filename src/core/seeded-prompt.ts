/** The words around a conversation that is handed over in front of a prompt. */
export const seedOpening =
  'This conversation has a part that you have not seen. What was said in it, for your information:';
export const seedClosing = 'The next message, which is for you:';

/** An agent's answer to a schedule's prompt that is shown to nobody. */
export const noReply = 'NO_REPLY';

/**
 * Stands in front of a schedule's prompt. It is no part of the system prompt: another system prompt would cost a warm process its
 * restart, and the model's cache all that was said, twice for each heartbeat.
 */
export const silenceNote = `(This message comes from a schedule: no person waits for an answer. If there is nothing that somebody should know, answer with exactly ${noReply} and nothing else: it is recorded, and sent to nobody.)`;

/** The user's own words in a prompt: behind the conversation, if there is one. Empty if its end is missing. */
export function wordsBehindSeed(prompt: string): string {
  if (prompt.startsWith(`${silenceNote}\n\n`)) return prompt.slice(silenceNote.length + 2);
  if (!prompt.startsWith(`${seedOpening}\n`)) return prompt;
  const opening = /^<conversation_so_far((?:-\d+)?)>$/m.exec(prompt);
  const end = `\n</conversation_so_far${opening?.[1]}>\n${seedClosing}\n\n`;
  const at = prompt.indexOf(end, opening?.index);
  return at < 0 ? '' : wordsBehindSeed(prompt.slice(at + end.length));
}
