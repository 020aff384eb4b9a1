/**
 * A prompt as ACP's content blocks, with the system prompt (which Gemini can't append to its own) in front. The prompt's
 * own block holds it to the character: `@file` is not expanded over ACP (0.61.0).
 */
export function promptBlocks(
  prompt: string,
  systemPrompt: string,
): readonly { readonly type: 'text'; readonly text: string }[] {
  const texts = systemPrompt === '' ? [prompt] : [instructions(systemPrompt), prompt];
  // Gemini joins all text blocks, trims them, and runs a text that begins with `/` or `$` and the name of a command. A
  // zero-width space is no white space for it: the block in front keeps such a text a prompt.
  if (/^\s*[/$]/.test(texts.join(''))) texts.unshift('\u200b');
  return texts.map((text) => ({ type: 'text', text }));
}

/** True if the message of the history begins with this system prompt, false if with another one, undefined if with none. */
export function matchInstructions(userMessage: string, systemPrompt: string): boolean | undefined {
  const message = userMessage.startsWith('\u200b') ? userMessage.slice(1) : userMessage;
  if (!message.startsWith(opening)) return undefined;
  return message.startsWith(instructions(systemPrompt));
}

const opening = '<instructions>\n';

/** The format is that of `putInFront`, so that a session can go from one-shot turns to live ones. */
function instructions(systemPrompt: string): string {
  return `${opening}${systemPrompt}\n</instructions>\n\n`;
}
