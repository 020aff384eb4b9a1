import { oneLine } from './text.js';
import { describeToolInput } from './tool-action.js';

export { editNotes } from './edit-notes.js';
export {
  describeToolInput,
  describeWholeInput,
  type FileEdit,
  type TodoItem,
  type ToolAction,
  type UnshownField,
  unshownFields,
} from './tool-action.js';

const maxLength = 120;

/**
 * One line that says what a tool does: `src/a.ts`, `npm test`, `"needle" in src`. Paths in `cwd` are told from there. Empty if
 * the input tells nothing. Never throws.
 */
export function summarizeToolInput(tool: string, input: unknown, cwd?: string): string {
  const action = describeToolInput(tool, input);
  switch (action.type) {
    case 'command':
      return line(action.command);
    case 'edit': {
      const paths = [...new Set(action.edits.map(({ path }) => shown(path, cwd)))];
      return line(paths.length > 3 ? `${paths[0]} and ${paths.length - 1} more files` : paths.join(', '));
    }
    case 'todos': {
      const done = action.items.filter(({ state }) => state === 'completed').length;
      const now = action.items.find(({ state }) => state === 'in_progress')?.text;
      return line(`${done} of ${action.items.length} done${now === undefined ? '' : `: ${now}`}`);
    }
    case 'other':
      return line(summarizeFields(input, cwd));
  }
}

const subjects = ['command', 'pattern', 'query', 'url', 'description', 'subject', 'prompt', 'name'] as const;
const places = [
  'file_path',
  'filePath',
  'filepath',
  'absolute_path',
  'path',
  'dir_path',
  'directory',
] as const;

function summarizeFields(input: unknown, cwd: string | undefined): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  const fields = input as Readonly<Record<string, unknown>>;
  const textOf = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const place = places.map(textOf).find((found) => found !== '');
  const subject = subjects.find((name) => textOf(name) !== '');
  const where = place === undefined ? '' : shown(place, cwd);
  if (subject === undefined) return where === '' ? plainFields(fields) : where;
  const what =
    subject === 'pattern' || subject === 'query'
      ? `"${textOf(subject).slice(0, maxLength)}"`
      : textOf(subject);
  return where === '' ? what : `${what} in ${where}`;
}

/** The first simple fields: `limit: 3, deep: true`. */
function plainFields(fields: Readonly<Record<string, unknown>>): string {
  const simple = Object.entries(fields)
    .slice(0, 20)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name.slice(0, maxLength)}: ${String(value).slice(0, maxLength)}`);
  return simple.slice(0, 5).join(', ');
}

function shown(path: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd === '') return path;
  const directory = cwd.endsWith('/') ? cwd : `${cwd}/`;
  return path.startsWith(directory) && path.length > directory.length ? path.slice(directory.length) : path;
}

function line(text: string): string {
  return oneLine(text, maxLength);
}
