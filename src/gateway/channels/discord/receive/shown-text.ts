import { oneLine } from '../../../../core/text.js';
import type { ReadMessage } from './read-message.js';

/** So many names of files are shown. */
const shownNames = 5;

/** What people see of a message in lists and on the page: its words, or what it is if it has none. */
export function shownText({ text, attachments, extras, quoted }: ReadMessage): string {
  // Discord takes leading spaces away: there a backslash makes a prompt of what would be a command.
  if (text !== '') return text.replace(/^\\(?=\/)/, ' ');
  const files = attachments.filter(({ origin }) => origin === 'message').map(({ name }) => oneLine(name, 60));
  if (files.length > 0) {
    const more = files.length > shownNames ? ', …' : '';
    const count = files.length === 1 ? '1 file' : `${files.length} files`;
    return `(${count}: ${files.slice(0, shownNames).join(', ')}${more})`;
  }
  const [extra] = extras;
  if (extra !== undefined) return `(${oneLine(extra, 200)})`;
  return quoted[0]?.type === 'forwarded' ? '(a forwarded message)' : '(a reply without words)';
}
