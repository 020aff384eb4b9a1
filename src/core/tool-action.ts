import { type PatchPart, readPatch } from './patch-text.js';

/*
 * What a tool of an agent does, by its name and its input as `tool_start` and `permission_request` carry them. A pure function
 * without imports from Node: the page uses it too. The shapes are those of Claude Code 2.1, Codex 0.166, Gemini CLI 0.61 and
 * OpenCode 1.18; the demo agent's tools are Claude's.
 */

export type ToolAction =
  | { readonly type: 'command'; readonly command: string; readonly cwd?: string }
  | { readonly type: 'edit'; readonly edits: readonly FileEdit[] }
  | { readonly type: 'todos'; readonly items: readonly TodoItem[] }
  | { readonly type: 'other' };

/** The change of one file, as far as the CLI tells it. */
export interface FileEdit {
  readonly path: string;
  /** The text that is replaced or deleted: the whole file, or a piece of it. Left out if the file is new, or it is not told. */
  readonly before?: string;
  /** The text in its place. Left out if the file is deleted, or it is not told. */
  readonly after?: string;
  /** The change as a unified diff, if the CLI tells one; its hunks may have no line numbers, and it may have no file names. */
  readonly diff?: string;
  readonly movedTo?: string;
}

export interface TodoItem {
  readonly text: string;
  readonly state: 'pending' | 'in_progress' | 'completed';
}

/** Never throws, whatever a model has put in; longer texts and lists are cut, and say so. */
export function describeToolInput(tool: string, input: unknown): ToolAction {
  return readers.get(tool)?.(input) ?? { type: 'other' };
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (input: unknown) => ToolAction | undefined;

/** The names of a tool's fields. Of each text the first one that is there counts. */
interface EditFields {
  readonly path: readonly string[];
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly diff?: readonly string[];
}

const maxText = 512 * 1024;
const maxEntries = 200;

/**
 * Each tool by its exact name, and with no other fields than its own: a model may add fields that the CLI ignores, and must
 * not make a change look like another one with them.
 */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['Bash', command('command')],
  ['Edit', edit({ path: ['file_path'], before: ['old_string'], after: ['new_string'] })],
  ['MultiEdit', edits({ path: ['file_path'], before: ['old_string'], after: ['new_string'] })],
  ['Write', edit({ path: ['file_path'], after: ['content'] })],
  ['NotebookEdit', edit({ path: ['notebook_path'], after: ['new_source'] })],
  ['TodoWrite', todos('todos', 'content')],
  // Codex
  ['shell', command('command', 'cwd')],
  ['apply_patch', patch],
  ['update_plan', todos('plan', 'step')],
  // Gemini: `old_text` is in what it asks about, `old_string` in the output of a one-shot run.
  ['run_shell_command', command('command', 'dir_path')],
  [
    'replace',
    edit({ path: ['file_path'], before: ['old_text', 'old_string'], after: ['new_text', 'new_string'] }),
  ],
  ['write_file', edit({ path: ['file_path'], before: ['old_text'], after: ['content'] })],
  ['write_todos', todos('todos', 'description')],
  // OpenCode: `filepath` where it asks without a tool. `apply_patch` as above; `patch` was its name before.
  ['bash', command('command', 'workdir')],
  [
    'edit',
    edit({ path: ['filePath', 'filepath'], before: ['oldString'], after: ['newString'], diff: ['diff'] }),
  ],
  ['multiedit', edits({ path: ['filePath'], before: ['oldString'], after: ['newString'] })],
  ['write', edit({ path: ['filePath', 'filepath'], after: ['content'], diff: ['diff'] })],
  ['patch', patch],
  ['todowrite', todos('todos', 'content')],
]);

function command(name: string, cwdName?: string): Reader {
  return (input) => {
    const fields = fieldsOf(input);
    const given = fields[name];
    const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string').join(' ') : given;
    if (typeof words !== 'string' || words === '') return undefined;
    const cwd = cwdName === undefined ? undefined : firstText(fields, [cwdName]);
    return { type: 'command', command: cut(withoutShell(words)), ...(cwd ? { cwd: cut(cwd, maxPath) } : {}) };
  };
}

/** Codex starts each command in a shell, `/bin/bash -lc '…'`. What is quoted in another way stays as it is. */
function withoutShell(words: string): string {
  const [, quoted, bare] = /^\/(?:usr\/)?bin\/(?:ba|z)?sh -lc (?:'([^']*)'|([\w./-]+))$/.exec(words) ?? [];
  return quoted ?? bare ?? words;
}

function edit(names: EditFields): Reader {
  return (input) => asEdits(readEdit(fieldsOf(input), names));
}

function edits(names: EditFields): Reader {
  return (input) => {
    const path = pathOf(fieldsOf(input), names.path);
    if (path === undefined) return undefined;
    return asEdits(listOf(fieldsOf(input)['edits']).map((one) => ({ path, ...textsOf(one, names) })));
  };
}

function readEdit(fields: Fields, names: EditFields): readonly FileEdit[] {
  const path = pathOf(fields, names.path);
  return path === undefined ? [] : [{ path, ...textsOf(fields, names) }];
}

function textsOf(fields: Fields, { before = [], after = [], diff = [] }: EditFields): Omit<FileEdit, 'path'> {
  const texts = {
    before: firstText(fields, before),
    after: firstText(fields, after),
    diff: firstText(fields, diff),
  };
  return {
    ...(texts.before === undefined ? {} : { before: cut(texts.before) }),
    ...(texts.after === undefined ? {} : { after: cut(texts.after) }),
    ...(texts.diff === undefined ? {} : { diff: cut(texts.diff) }),
  };
}

/** A patch is a list of changes (Codex, and OpenCode's question about one), or the text that the model has written. */
function patch(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  const told = asEdits([...codexChanges(fields['changes']), ...openCodeFiles(fields['files'])]);
  if (told !== undefined) return told;
  const written = typeof input === 'string' ? input : firstText(fields, ['patchText', 'patch', 'input']);
  return asEdits(written === undefined ? [] : readPatch(cut(written, 8 * maxText)).map(patchEdit));
}

function patchEdit({ path, type, text, movedTo }: PatchPart): FileEdit {
  const told = type === 'add' ? { after: cut(text) } : type === 'update' ? { diff: cut(text) } : {};
  return {
    path: cut(path, maxPath),
    ...told,
    ...(movedTo === undefined ? {} : { movedTo: cut(movedTo, maxPath) }),
  };
}

/** In older versions of Codex the changes were an object by path: `{"a.txt": {"add": {"content": "…"}}}`. */
function codexChanges(changes: unknown): readonly FileEdit[] {
  const list = Array.isArray(changes)
    ? listOf(changes)
    : entriesOf(changes).map(([path, change]): Fields => {
        const [kind, facts] = entriesOf(change)[0] ?? [];
        return { ...fieldsOf(facts), kind, path };
      });
  return list.flatMap((change) => {
    // The `diff` of a new and of a deleted file is its text.
    const told = ['diff', 'unified_diff', 'content'];
    const names =
      change['kind'] === 'add'
        ? { after: told }
        : change['kind'] === 'delete'
          ? { before: told }
          : { diff: told };
    return readEdit(change, { path: ['path'], ...names }).map((one) => ({
      ...one,
      ...moveOf(change['move_path']),
    }));
  });
}

function openCodeFiles(files: unknown): readonly FileEdit[] {
  return listOf(files).flatMap((file) =>
    readEdit(file, { path: ['filePath', 'relativePath'], diff: ['patch', 'diff'] }).map((one) => ({
      ...one,
      ...moveOf(file['movePath']),
    })),
  );
}

function moveOf(target: unknown): Pick<FileEdit, 'movedTo'> {
  return typeof target === 'string' && target !== '' ? { movedTo: cut(target, maxPath) } : {};
}

function asEdits(found: readonly FileEdit[]): ToolAction | undefined {
  if (found.length === 0) return undefined;
  const left = found.length - maxEntries;
  const more = left > 0 ? [{ path: `… (${left} more)` }] : [];
  return { type: 'edit', edits: [...found.slice(0, maxEntries), ...more] };
}

function todos(listName: string, textName: string): Reader {
  return (input) => {
    const list = fieldsOf(input)[listName];
    if (!Array.isArray(list)) return undefined;
    const items = listOf(list.slice(0, maxEntries)).flatMap((item): readonly TodoItem[] => {
      const text = firstText(item, [textName]);
      const status = item['status'];
      if (text === undefined || status === 'cancelled') return [];
      const state = status === 'completed' || status === 'in_progress' ? status : 'pending';
      return [{ text: cut(text, 1000), state }];
    });
    return { type: 'todos', items };
  };
}

const maxPath = 4096;

function pathOf(fields: Fields, names: readonly string[]): string | undefined {
  const path = firstText(fields, names);
  return path === undefined || path === '' ? undefined : cut(path, maxPath);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(fieldsOf(value));
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => fields[name]).find((value) => typeof value === 'string');
}

/** Whoever is shown the text must see that it is not all. */
function cut(text: string, max = maxText): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}\n… (${text.length - max} more characters)`;
}
