const words: Readonly<Record<string, string>> = {
  ask: 'asks first',
  bypass: 'asks nothing',
  edits: 'edits without asking',
  plan: 'only plans',
};

/** What the agent does about permissions, in the words that stand in the head. */
export function modeInWords(mode: string): string {
  return words[mode] ?? mode;
}
