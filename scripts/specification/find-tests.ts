import { closingBracket, withoutTexts } from './without-texts.js';

/** A test or a group of tests with a literal title. */
export interface FoundTest {
  /** The titles of the groups around it and its own, without their tags. */
  readonly path: readonly string[];
  /** The lines of the specification that its own title names. */
  readonly tags: readonly string[];
  /** The lines that the groups around it name. */
  readonly inherited: readonly string[];
  /** Parts of the title that look like a number of the specification and are no tag. */
  readonly unclear: readonly string[];
}

export const lineNumber = /\b[RPSO]\d+(?:\.\d+)?\b/g;

/** The tests of one source file, in their order, with all that `it`, `test` and `describe` can be called with. */
export function findTests(source: string): readonly FoundTest[] {
  const code = withoutTexts(source);
  const found: (FoundTest & { readonly end: number })[] = [];
  for (const { index } of code.matchAll(/(?<![\w.$])(?:it|test|describe)\b/g)) {
    const call = findTitle(code, index);
    if (call === undefined) continue;
    const raw = source.slice(call.from, call.to).replaceAll(/\\(.)/gs, '$1');
    const title = raw.replaceAll(/\$\{[^}]*\}/g, '…');
    const group = found.findLast(({ end }) => end > index);
    found.push({
      path: [...(group?.path ?? []), withoutTags(title)],
      ...readTags(title),
      inherited: group === undefined ? [] : [...group.inherited, ...group.tags],
      end: call.end,
    });
  }
  return found;
}

/** Round brackets with numbers, each alone between commas, and the words `Property N`. */
function readTags(title: string): Pick<FoundTest, 'tags' | 'unclear'> {
  const parts = [...title.matchAll(brackets)].flatMap(([, inside = '']) => inside.split(','));
  const tags = parts.map((part) => part.trim()).filter(isLineNumber);
  const properties = [...title.matchAll(/\bProperty (\d+)\b/g)].map(([, number]) => `P${number}`);
  const unclear = (title.match(lineNumber) ?? []).filter((number) => !tags.includes(number));
  return { tags: [...new Set([...tags, ...properties])], unclear };
}

function withoutTags(title: string): string {
  const bare = title.replaceAll(brackets, (bracket, inside: string) => {
    const parts = inside.split(',').map((part) => part.trim());
    const rest = parts.filter((part) => !isLineNumber(part));
    if (rest.length === parts.length) return bracket;
    return rest.length === 0 ? '' : ` (${rest.join(', ')})`;
  });
  return bare.replace(/^(Feature: [\w-]+, )?Property \d+: /, '').replaceAll(/\s+/g, ' ');
}

const brackets = /\s*\(([^()]*)\)/g;

function isLineNumber(text: string): boolean {
  return /^[RPSO]\d+(?:\.\d+)?$/.test(text);
}

/** Where the title of a call stands, behind `.each(…)` and the like, and where the call ends. */
function findTitle(code: string, at: number): { from: number; to: number; end: number } | undefined {
  let next = at + (/^\w+/.exec(code.slice(at, at + 10))?.[0].length ?? 0);
  for (;;) {
    next = skipBlanks(code, next);
    if (code[next] === '.') {
      next = skipBlanks(code, next + 1);
      while (/\w/.test(code[next] ?? '')) next += 1;
    } else if (code[next] === '<') {
      next = closingBracket(code, next) + 1;
    } else if (code[next] === '(') {
      const end = closingBracket(code, next);
      const quote = skipBlanks(code, next + 1);
      if (/['"`]/.test(code[quote] ?? ''))
        return { from: quote + 1, to: code.indexOf(code[quote] ?? '', quote + 1), end };
      next = end + 1;
    } else {
      return undefined;
    }
  }
}

function skipBlanks(code: string, at: number): number {
  let next = at;
  while (/\s/.test(code[next] ?? '')) next += 1;
  return next;
}
