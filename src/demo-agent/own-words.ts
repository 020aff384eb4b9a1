/**
 * A prompt without what Turnout's gateway adds to messages of Discord: who wrote it, what it answers, its files. A model reads that
 * as what it is; the demo agent knows only the words.
 */
export function ownWords(prompt: string): string {
  const words = prompt.replaceAll(added, '');
  return words === prompt ? prompt : words.trim() || prompt;
}

const added =
  /(?:^|\n+)\[Discord context ([0-9a-f]{16})\. [^\n]*\n(?:[\s\S]*?\n)?\[End of Discord context \1\]/g;
