import { exactStart, oneLine } from './text.js';
import { describeToolInput, describeWholeInput, type ToolAction, unshownFields } from './tool-action.js';
import { entriesOf } from './tool-fields.js';

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
/** No more of a field is worked on. A line that leaves some of it out is longer than `exactStart` takes. */
const mostRead = maxLength * 20;

/**
 * One line that says what a tool does: `src/a.ts`, `npm test`, `"needle" in src`. Paths in `cwd` are told from there. Empty if
 * the input tells nothing. Never throws.
 */
export function summarizeToolInput(tool: string, input: unknown, cwd?: string): string {
  return oneLine(summaryOf(describeToolInput(tool, input), input, cwd).text, maxLength);
}

/**
 * The same for a line beside a way to allow it: each character is shown as `exactLine` shows it, and if something is left out
 * the line says so: `ls (+2 fields: turnout permissions show 3f2a91c0)`. `see` is what shows all of it.
 */
export function summarizeExactly(
  tool: string,
  input: unknown,
  { cwd, see }: { readonly cwd?: string | undefined; readonly see?: string | undefined } = {},
): string {
  const action = describeWholeInput(tool, input);
  const { text, told } = summaryOf(action, input, cwd);
  const { line, isCut } = exactStart(text, maxLength);
  const elsewhere = action.type === 'command' && action.cwd !== undefined ? 1 : 0;
  const unshown = told === undefined ? unshownFields(tool, input).length : entriesOf(input).length - told;
  const fields = elsewhere + unshown;
  const left = [
    ...(isCut ? ['cut'] : []),
    ...(fields > 0 ? [`+${fields} ${fields === 1 ? 'field' : 'fields'}`] : []),
  ];
  if (left.length === 0) return line;
  return `${line} (${left.join(', ')}${see === undefined ? '' : `: ${see}`})`.trimStart();
}

interface Summary {
  readonly text: string;
  /** How many of the input's fields are told, if its action does not know. */
  readonly told?: number;
}

function summaryOf(action: ToolAction, input: unknown, cwd: string | undefined): Summary {
  switch (action.type) {
    case 'command':
      return { text: action.command };
    case 'edit': {
      const paths = [...new Set(action.edits.map(({ path }) => shown(path, cwd)))];
      return { text: paths.length > 3 ? `${paths[0]} and ${paths.length - 1} more files` : paths.join(', ') };
    }
    case 'todos': {
      const done = action.items.filter(({ state }) => state === 'completed').length;
      const now = action.items.find(({ state }) => state === 'in_progress')?.text;
      return { text: `${done} of ${action.items.length} done${now === undefined ? '' : `: ${now}`}` };
    }
    case 'other':
      return summarizeFields(input, cwd);
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

function summarizeFields(input: unknown, cwd: string | undefined): Summary {
  if (typeof input === 'string') return { text: input, told: 0 };
  if (typeof input !== 'object' || input === null) return { text: '', told: 0 };
  const fields = input as Readonly<Record<string, unknown>>;
  const textOf = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const place = places.map(textOf).find((found) => found !== '');
  const subject = subjects.find((name) => textOf(name) !== '');
  const where = place === undefined ? '' : shown(place, cwd);
  if (subject === undefined) return where === '' ? plainFields(fields) : { text: where, told: 1 };
  const what =
    subject === 'pattern' || subject === 'query'
      ? `"${textOf(subject).slice(0, mostRead)}"`
      : textOf(subject);
  return where === '' ? { text: what, told: 1 } : { text: `${what} in ${where}`, told: 2 };
}

/** The first simple fields: `limit: 3, deep: true`. */
function plainFields(fields: Readonly<Record<string, unknown>>): Summary {
  const simple = Object.entries(fields)
    .slice(0, 20)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name.slice(0, mostRead)}: ${String(value).slice(0, mostRead)}`)
    .slice(0, 5);
  return { text: simple.join(', '), told: simple.length };
}

function shown(path: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd === '') return path;
  const directory = cwd.endsWith('/') ? cwd : `${cwd}/`;
  return path.startsWith(directory) && path.length > directory.length ? path.slice(directory.length) : path;
}
