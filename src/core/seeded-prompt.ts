/** The words around a conversation that is handed over in front of a prompt. */
export const seedOpening =
  'This conversation has a part that you have not seen. What was said in it, for your information:';
export const seedClosing = 'The next message, which is for you:';

/** The user's own words in a prompt: behind the conversation, if there is one. Empty if its end is missing. */
export function wordsBehindSeed(prompt: string): string {
  if (!prompt.startsWith(`${seedOpening}\n`)) return prompt;
  const opening = /^<conversation_so_far((?:-\d+)?)>$/m.exec(prompt);
  const end = `\n</conversation_so_far${opening?.[1]}>\n${seedClosing}\n\n`;
  const at = prompt.indexOf(end, opening?.index);
  return at < 0 ? '' : prompt.slice(at + end.length);
}
