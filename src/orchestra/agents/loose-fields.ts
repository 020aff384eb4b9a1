import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

/** The fields of a front matter: texts and lists of texts. Anything deeper is an empty text. */
export type LooseFields = ReadonlyMap<string, string | readonly string[]>;

/**
 * Reads `key: value` lines as YAML if they are, and else line by line: descriptions with colons, tags and dialogues are common,
 * and Claude Code reads them. Only the known keys begin a field then, each once; all other lines belong to the one above.
 */
export function readLooseFields(yaml: string, known: readonly string[]): LooseFields {
  return readYaml(yaml) ?? readLines(yaml, known);
}

function readYaml(yaml: string): LooseFields | undefined {
  // With `failsafe` every value is text.
  const document = parseDocument(yaml, { schema: 'failsafe', prettyErrors: false });
  const { contents } = document;
  if (document.errors.length > 0 || !isMap(contents)) return undefined;
  const fields = new Map<string, string | readonly string[]>();
  for (const { key, value } of contents.items) {
    if (!isScalar(key)) continue;
    if (isScalar(value)) fields.set(String(key.value), String(value.value ?? ''));
    else if (isSeq(value))
      fields.set(
        String(key.value),
        value.items.flatMap((item) => (isScalar(item) ? [String(item.value ?? '')] : [])),
      );
    else fields.set(String(key.value), '');
  }
  return fields;
}

function readLines(text: string, known: readonly string[]): LooseFields {
  const found = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, key, value = ''] = /^([A-Za-z]+)[ \t]*:(?:[ \t]+(.*))?$/.exec(line.trimEnd()) ?? [];
    if (key === undefined || !known.includes(key) || found.has(key)) lines.push(line);
    else {
      lines = [value];
      found.set(key, lines);
    }
  }
  return new Map([...found].map(([key, all]) => [key, fieldOf(all)]));
}

function fieldOf([first = '', ...rest]: readonly string[]): string | readonly string[] {
  const items = rest.flatMap((line) => /^-\s+(.+)$/.exec(line.trim())?.[1] ?? []);
  if (
    first.trim() === '' &&
    items.length > 0 &&
    items.length === rest.filter((line) => line.trim() !== '').length
  )
    return items.map(unquoted);
  // `|` and `>` stand for the lines below.
  const head = /^\s*[|>][+-]?\s*$/.test(first) ? [] : [first];
  return unquoted([...head, ...rest].join('\n').trim());
}

function unquoted(text: string): string {
  const [, inner] = /^"(.*)"$/s.exec(text) ?? /^'(.*)'$/s.exec(text) ?? [];
  return (inner ?? text).replaceAll('\\n', '\n').replaceAll('\\"', '"');
}
