export interface CronEntry {
  readonly name: string;
  /** The line of its heading. */
  readonly line: number;
  /** The values as they were written, without backticks and quotes. */
  readonly settings: ReadonlyMap<string, string>;
  readonly instructions: string;
}

export interface SplitEntries {
  readonly entries: readonly CronEntry[];
  /** The line of a setting in front of the first entry. */
  readonly stray: number | undefined;
}

/** Cuts a text at its headings of level 2, but not at those that are part of a code block. */
export function splitEntries(text: string, firstLine: number): SplitEntries {
  const sections: { name: string; line: number; lines: string[] }[] = [];
  let fence: string | undefined;
  let stray: number | undefined;
  text.split('\n').forEach((line, index) => {
    const heading = fence === undefined ? /^##(?:[ \t]+(.*))?$/.exec(line) : null;
    const section = sections.at(-1);
    if (heading !== null) {
      const name = (heading[1] ?? '').replace(/(^|[ \t])#+[ \t]*$/, '').trim();
      sections.push({ name, line: firstLine + index, lines: [] });
      return;
    }
    fence = fenceAfter(fence, line);
    if (section !== undefined) section.lines.push(line);
    else if (fence === undefined && settingOf(line)?.key === 'schedule') stray ??= firstLine + index;
  });
  return { entries: sections.map(({ name, line, lines }) => ({ name, line, ...readSection(lines) })), stray };
}

/** A block is closed by at least as many of the characters that opened it. */
function fenceAfter(fence: string | undefined, line: string): string | undefined {
  const [, mark, rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined) return fence;
  if (fence === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark;
  return mark.startsWith(fence) && rest.trim() === '' ? undefined : fence;
}

/** The settings are the list directly below the heading, up to an empty line or one that is no setting. */
function readSection(lines: readonly string[]): Pick<CronEntry, 'settings' | 'instructions'> {
  const settings = new Map<string, string>();
  let at = lines.findIndex((line) => line.trim() !== '');
  if (at === -1) return { settings, instructions: '' };
  for (; at < lines.length; at++) {
    const setting = settingOf(lines[at] ?? '');
    if (setting === undefined) break;
    settings.set(setting.key, setting.value);
  }
  return { settings, instructions: lines.slice(at).join('\n').trim() };
}

function settingOf(line: string): { key: string; value: string } | undefined {
  const [, key, raw] = /^ {0,3}[-*+][ \t]+([A-Za-z_]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? [];
  if (key === undefined || raw === undefined) return undefined;
  const value = raw.trim();
  const [, , inner] = /^([`"'])(.*)\1$/.exec(value) ?? [];
  return { key: key.toLowerCase(), value: (inner ?? value).trim() };
}
