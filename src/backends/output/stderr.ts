/** Returns the first characters, without half of a surrogate pair at the end. */
export function firstCharacters(text: string, count: number): string {
  const cut = text.slice(0, count);
  const last = cut.charCodeAt(cut.length - 1);
  return text.length > count && last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** Removes colours and noise from stderr. Lines that are not known to be noise stay unchanged. */
export function withoutNoise(stderr: string, noise: readonly RegExp[]): string {
  const plain = stderr.replace(ansi, '');
  if (noise.length === 0) return plain;
  const lines = plain.split('\n');
  const kept = lines.filter((line) => !noise.some((pattern) => pattern.test(line)));
  return kept.length === lines.length ? plain : kept.join('\n').trim();
}
