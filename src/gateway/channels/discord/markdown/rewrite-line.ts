/** What Discord shows as it is written: boxes of tasks, images, rules, and the few HTML tags that models like. */
export function rewriteLine(line: string, above: string | undefined): string {
  // Below a line of text it would be a heading.
  if ((above ?? '').trim() === '' && rule.test(line)) return ruleInDiscord;
  if (!/[[<]/.test(line)) return line;
  const tasks = line.replace(
    task,
    (_, marker: string, state: string) => `${marker}${state === ' ' ? '☐' : '☑'} `,
  );
  return withoutTags(withoutImages(tasks), '\n');
}

/** The same for a cell of a table, which has one line. */
export function rewriteCell(cell: string): string {
  return /[[<]/.test(cell) ? withoutTags(withoutImages(cell), ' ').trim() : cell;
}

const ruleInDiscord = '─'.repeat(20);
const rule = /^ {0,3}(?:-[ \t]*){3,60}$|^ {0,3}(?:\*[ \t]*){3,60}$|^ {0,3}(?:_[ \t]*){3,60}$/;
const task = /^([ \t>]{0,40}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})\[([ xX])\][ \t]/;

/** Code within the line stays. All repetitions have a limit, so that a line of any length takes linear time. */
const image = /`[^`]*`|!\[([^[\]]{0,300})\]\(<?([^\s()<>]{1,1000})>?(?:[ \t]{1,4}"[^"]{0,300}")?\)/g;
const tag = /`[^`]*`|<br\s?\/?>|<\/?details(?: open)?>|<summary>|<\/summary>/gi;

function withoutImages(text: string): string {
  if (!text.includes('![')) return text;
  return text.replace(image, (all, alt?: string, address?: string) => {
    if (address === undefined) return all;
    if (!/^https?:\/\//i.test(address)) return alt ? `${alt} (${address})` : address;
    return alt ? `[${alt}](${address})` : address;
  });
}

function withoutTags(text: string, lineBreak: string): string {
  if (!text.includes('<')) return text;
  return text.replace(tag, (all) => {
    if (all.startsWith('`')) return all;
    if (/^<br/i.test(all)) return lineBreak;
    return /summary/i.test(all) ? '**' : '';
  });
}
