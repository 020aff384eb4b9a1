/**
 * TypeScript with blanks in place of comments, regular expressions and what stands between quotes, each character at
 * its place: brackets that are left belong to the code. No parser: a `/` is taken for a regular expression by what
 * stands before it.
 */
export function withoutTexts(source: string): string {
  const code = source.split('');
  for (let at = 0; at < source.length; ) {
    const end = endOfText(source, at);
    if (end === undefined) {
      at += 1;
      continue;
    }
    const quoted = /['"`]/.test(source[at] ?? '');
    code.fill(' ', quoted ? at + 1 : at, quoted ? end - 1 : end);
    at = end;
  }
  return code.join('');
}

/** The place of the bracket that closes the one at `at`. */
export function closingBracket(code: string, at: number): number {
  const open = code[at] ?? '';
  const close = { '(': ')', '<': '>', '{': '}' }[open];
  let depth = 0;
  for (let next = at; next < code.length; next++) {
    if (code[next] === open) depth += 1;
    // The `>` of an arrow closes nothing.
    else if (code[next] === close && !(close === '>' && code[next - 1] === '=')) depth -= 1;
    if (depth === 0) return next;
  }
  return code.length;
}

/** The place behind the string, comment or regular expression that begins at `at`; undefined where none does. */
function endOfText(source: string, at: number): number | undefined {
  const char = source[at] ?? '';
  if (char === "'" || char === '"') return endOfQuote(source, at, char);
  if (char === '`') return endOfTemplate(source, at);
  if (char !== '/') return undefined;
  if (source[at + 1] === '/') return endBehind(source, '\n', at);
  if (source[at + 1] === '*') return endBehind(source, '*/', at + 2);
  return startsExpression(source, at) ? endOfExpression(source, at) : undefined;
}

function endBehind(source: string, mark: string, at: number): number {
  const found = source.indexOf(mark, at);
  return found < 0 ? source.length : found + mark.length;
}

function endOfQuote(source: string, at: number, quote: string): number {
  for (let next = at + 1; next < source.length; next++) {
    if (source[next] === '\\') next += 1;
    else if (source[next] === quote) return next + 1;
  }
  return source.length;
}

function endOfTemplate(source: string, at: number): number {
  for (let next = at + 1; next < source.length; next++) {
    if (source[next] === '\\') next += 1;
    else if (source[next] === '`') return next + 1;
    else if (source.startsWith('${', next)) next = endOfPlaceholder(source, next + 2);
  }
  return source.length;
}

/** The place of the `}` that ends the code of a placeholder, which may hold texts itself. */
function endOfPlaceholder(source: string, at: number): number {
  let depth = 1;
  for (let next = at; next < source.length; ) {
    const end = endOfText(source, next);
    if (end !== undefined) {
      next = end;
      continue;
    }
    if (source[next] === '{') depth += 1;
    if (source[next] === '}') depth -= 1;
    if (depth === 0) return next;
    next += 1;
  }
  return source.length;
}

function startsExpression(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 40), at).trimEnd();
  return before === '' || /(?:[([{,;:=!&|?]|=>|\breturn)$/.test(before);
}

function endOfExpression(source: string, at: number): number {
  let inClass = false;
  for (let next = at + 1; next < source.length && source[next] !== '\n'; next++) {
    if (source[next] === '\\') next += 1;
    else if (source[next] === '[') inClass = true;
    else if (source[next] === ']') inClass = false;
    else if (source[next] === '/' && !inClass) return next + 1;
  }
  return at + 1;
}
