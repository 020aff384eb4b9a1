/** A fenced block of code that is open. */
export interface Fence {
  /** The line that opens it again in another message: the same marker and info string, quote marks, no list marker. */
  readonly opening: string;
  readonly closing: string;
  /** What each line of its content begins with: the marks of the quote that it is in. */
  readonly linePrefix: string;
}

/** A place in a text where a fence is opened or closed. */
export interface FenceMark {
  /** The beginning of its line. The text must not be cut between here and `to`. */
  readonly from: number;
  /** The end of its marker. */
  readonly to: number;
  /** The end of its line, behind the line break. */
  readonly lineEnd: number;
  /** The marker's length; 0 if the fence ends because the quote around it does. */
  readonly markerLength: number;
  /** The fence that is open from `to` on. */
  readonly fence: Fence | undefined;
}

/** Longer lines are judged by their beginning, so that the work stays linear. */
const longestLine = 400;
/** What is repeated in every message has to be short. Longer ones are no fences for us: nobody writes them. */
const longestPrefix = 60;
const longestMarker = 32;
const longestInfo = 60;

/** The marks in order. The rules are CommonMark's, but a list item does not end a fence: to Discord it does not either. */
export function* fenceMarks(text: string): Generator<FenceMark, undefined> {
  let open: Parsed | undefined;
  for (let from = 0; from < text.length; ) {
    const lineBreak = text.indexOf('\n', from);
    const lineEnd = lineBreak === -1 ? text.length : lineBreak + 1;
    const line = text.slice(from, Math.min(from + longestLine, lineBreak === -1 ? lineEnd : lineBreak));
    if (open !== undefined && open.depth > 0 && depthOf(line) < open.depth) {
      open = undefined;
      yield { from: from - 1, to: from - 1, lineEnd: from, markerLength: 0, fence: undefined };
    }
    const found = parse(line);
    if (found !== undefined && (open === undefined ? opens(found) : closes(found, open))) {
      open = open === undefined ? found : undefined;
      const to = from + found.prefix.length + found.marker.length;
      yield { from, to, lineEnd, markerLength: found.marker.length, fence: open && makeFence(open) };
    }
    from = lineEnd;
  }
}

interface Parsed {
  readonly prefix: string;
  readonly marker: string;
  readonly rest: string;
  /** In how many quotes it is. */
  readonly depth: number;
}

const fenceLine = /^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})(.*)$/s;

function parse(line: string): Parsed | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const [, prefix = '', marker = '', rest = ''] = fenceLine.exec(line) ?? [];
  if (marker === '' || prefix.length > longestPrefix || marker.length > longestMarker) return undefined;
  return { prefix, marker, rest, depth: quotesIn(prefix) };
}

function opens({ marker, rest }: Parsed): boolean {
  return marker.startsWith('~') || !rest.includes('`');
}

function closes({ prefix, marker, rest, depth }: Parsed, open: Parsed): boolean {
  return (
    depth === open.depth && /^[ \t>]*$/.test(prefix) && marker.startsWith(open.marker) && rest.trim() === ''
  );
}

function makeFence({ prefix, marker, rest, depth }: Parsed): Fence {
  // The content of a list item is indented as far as the marker of the item reaches.
  const linePrefix = prefix.replace(/[^>\t]/g, ' ');
  // A blank in front of it stays: an info string of `~~~ ~~~` would make the marker longer.
  const info = rest.trimEnd();
  const [language = ''] = /^\s*\S*/.exec(info) ?? [];
  const kept = [info, language].find((words) => words.length <= longestInfo) ?? '';
  return {
    // Discord removes white space at the beginning of a message.
    opening: `${linePrefix}${marker}${kept}`.trimStart(),
    closing: `${linePrefix}${marker}`,
    linePrefix: depth > 0 ? linePrefix : '',
  };
}

/** In how many quotes a line is. */
function depthOf(line: string): number {
  return quotesIn(/^[ \t>]*/.exec(line)?.[0] ?? '');
}

function quotesIn(prefix: string): number {
  return prefix === '' ? 0 : prefix.split('>').length - 1;
}
