/** How much of `more` still belongs to the paragraph, or the block of code, in which `before` ends. */
export function paragraphEnd(before: string, more: string): number {
  const text = before + more;
  const breaks = /\n[ \t]*\n/g;
  breaks.lastIndex = Math.max(0, before.length - 2);
  for (let found = breaks.exec(text); found !== null; found = breaks.exec(text)) {
    if (!endsInCode(text.slice(0, found.index))) return Math.max(0, breaks.lastIndex - before.length);
  }
  return more.length;
}

function endsInCode(text: string): boolean {
  return (text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;
}
