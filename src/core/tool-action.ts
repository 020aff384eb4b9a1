import { cutAction } from './cut-action.js';
import { printJson } from './json.js';
import { type PatchPart, readPatch } from './patch-text.js';
import { entriesOf, type Fields, fieldsOf, firstText, listOf, pathOf } from './tool-fields.js';

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
  /** True if the file is deleted and its text is not told. */
  readonly deleted?: true;
  /** What the texts don't tell: that a cell of a notebook is deleted. */
  readonly note?: string;
}

export interface TodoItem {
  readonly text: string;
  readonly state: 'pending' | 'in_progress' | 'completed';
}

/** Never throws, whatever a model has put in; longer texts and lists are cut, and say so. */
export function describeToolInput(tool: string, input: unknown): ToolAction {
  return cutAction(describeWholeInput(tool, input));
}

/** The same with nothing cut: for those who are to allow it. */
export function describeWholeInput(tool: string, input: unknown): ToolAction {
  return tools.get(tool)?.read(input) ?? { type: 'other' };
}

export interface UnshownField {
  readonly name: string;
  readonly value: unknown;
}

/**
 * The fields of a tool's input that its action leaves out. Whoever is asked to allow the tool has to see them too: that a
 * command runs without a sandbox, that every place of a text is replaced. None for an action that is `other`.
 */
export function unshownFields(tool: string, input: unknown): readonly UnshownField[] {
  const known = tools.get(tool);
  return known?.read(input) === undefined ? [] : known.unshown(fieldsOf(input));
}

interface Tool {
  readonly read: (input: unknown) => ToolAction | undefined;
  /** The fields that `read` makes no use of. */
  readonly unshown: (fields: Fields) => readonly UnshownField[];
}

/** The names of a tool's fields. Of each text the first one that is there counts. */
interface EditFields {
  readonly path: readonly string[];
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly diff?: readonly string[];
}

/**
 * Each tool by its exact name, and with no other fields than its own: a model may add fields that the CLI ignores, and must
 * not make a change look like another one with them.
 */
const tools: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ['Bash', command('command')],
  ['Edit', edit({ path: ['file_path'], before: ['old_string'], after: ['new_string'] })],
  ['MultiEdit', edits({ path: ['file_path'], before: ['old_string'], after: ['new_string'] })],
  ['Write', edit({ path: ['file_path'], after: ['content'] })],
  ['NotebookEdit', { read: readNotebook, unshown: (fields) => except(fields, notebookNames(fields)) }],
  ['TodoWrite', todos('todos', 'content')],
  // Codex
  ['shell', command('command', 'cwd')],
  ['apply_patch', patch()],
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
  ['patch', patch()],
  ['todowrite', todos('todos', 'content')],
]);

function command(name: string, cwdName?: string): Tool {
  const read = (input: unknown): ToolAction | undefined => {
    const fields = fieldsOf(input);
    const given = fields[name];
    const words = Array.isArray(given) ? given.map(wordOf).join(' ') : given;
    if (typeof words !== 'string' || words === '') return undefined;
    const cwd = cwdName === undefined ? undefined : firstText(fields, [cwdName]);
    return { type: 'command', command: withoutShell(words), ...(cwd ? { cwd } : {}) };
  };
  const unshown = (fields: Fields) =>
    except(fields, cwdName !== undefined && typeof fields[cwdName] === 'string' ? [name, cwdName] : [name]);
  return { read, unshown };
}

/** A word that is no text is shown all the same. */
function wordOf(word: unknown): string {
  return typeof word === 'string' ? word : printJson(word);
}

/** Codex starts each command in a shell, `/bin/bash -lc '…'`. What is quoted in another way stays as it is. */
function withoutShell(words: string): string {
  const [, quoted, bare] = /^\/(?:usr\/)?bin\/(?:ba|z)?sh -lc (?:'([^']*)'|([\w./-]+))$/.exec(words) ?? [];
  return quoted ?? bare ?? words;
}

function edit(names: EditFields): Tool {
  return {
    read: (input) => asEdits(readEdit(fieldsOf(input), names)),
    unshown: (fields) => except(fields, namesIn(fields, names)),
  };
}

function edits(names: EditFields): Tool {
  const read = (input: unknown): ToolAction | undefined => {
    const path = pathOf(fieldsOf(input), names.path);
    if (path === undefined) return undefined;
    return asEdits(listOf(fieldsOf(input)['edits']).map((one) => ({ path, ...textsOf(one, names) })));
  };
  const unshown = (fields: Fields) => [
    ...except(fields, [...namesIn(fields, { path: names.path }), 'edits']),
    ...listOf(fields['edits']).flatMap((one, nth) =>
      except(one, namesIn(one, { ...names, path: [] }), `edits[${nth}].`),
    ),
  ];
  return { read, unshown };
}

/** The names of the fields that are read. A CLI makes its diff of the texts: with it they are shown, too. */
function namesIn(
  fields: Fields,
  { path, before = [], after = [], diff = [] }: EditFields,
): readonly string[] {
  return [path, before, after, diff].flatMap(
    (names) => names.find((name) => typeof fields[name] === 'string') ?? [],
  );
}

function except(fields: Fields, names: readonly string[], prefix = ''): readonly UnshownField[] {
  return entriesOf(fields).flatMap(([name, value]) =>
    value === undefined || names.includes(name) ? [] : [{ name: prefix + name, value }],
  );
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
    ...(texts.before === undefined ? {} : { before: texts.before }),
    ...(texts.after === undefined ? {} : { after: texts.after }),
    ...(texts.diff === undefined ? {} : { diff: texts.diff }),
  };
}

/** A patch is a list of changes (Codex, and OpenCode's question about one), or the text that the model has written. */
function patch(): Tool {
  return {
    read: readPatchInput,
    // OpenCode makes its list of files of the text.
    unshown: (fields) => except(fields, ['changes', 'files', ...namesIn(fields, { path: patchTexts })]),
  };
}

const patchTexts = ['patchText', 'patch', 'input'] as const;

function readPatchInput(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  const told = asEdits([...codexChanges(fields['changes']), ...openCodeFiles(fields['files'])]);
  if (told !== undefined) return told;
  const written = typeof input === 'string' ? input : firstText(fields, patchTexts);
  return asEdits(written === undefined ? [] : readPatch(written).map(patchEdit));
}

function patchEdit({ path, type, text, movedTo }: PatchPart): FileEdit {
  const told = { add: { after: text }, update: { diff: text }, delete: { deleted: true } } as const;
  return {
    path,
    ...told[type],
    ...(movedTo === undefined ? {} : { movedTo }),
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
  return typeof target === 'string' && target !== '' ? { movedTo: target } : {};
}

const cellNotes = {
  delete: 'A cell of the notebook is deleted',
  insert: 'A cell is inserted into the notebook',
  replace: 'The text of a cell is replaced by this one',
} as const;

/** A cell is named, not shown: its text is in the notebook. */
function readNotebook(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  const mode = fields['edit_mode'];
  const note = cellNotes[mode === 'delete' || mode === 'insert' ? mode : 'replace'];
  const [path = '', after] = notebookNames(fields);
  return asEdits(
    readEdit(fields, { path: [path], after: after === undefined ? [] : [after] }).map((one) => ({
      ...one,
      note,
    })),
  );
}

/** With `delete` the new text is of no account. */
function notebookNames(fields: Fields): readonly string[] {
  return fields['edit_mode'] === 'delete' ? ['notebook_path'] : ['notebook_path', 'new_source'];
}

function asEdits(found: readonly FileEdit[]): ToolAction | undefined {
  return found.length === 0 ? undefined : { type: 'edit', edits: found };
}

function todos(listName: string, textName: string): Tool {
  const read = (input: unknown): ToolAction | undefined => {
    const list = fieldsOf(input)[listName];
    if (!Array.isArray(list)) return undefined;
    const items = listOf(list).flatMap((item): readonly TodoItem[] => {
      const text = firstText(item, [textName]);
      const status = item['status'];
      if (text === undefined || status === 'cancelled') return [];
      const state = status === 'completed' || status === 'in_progress' ? status : 'pending';
      return [{ text, state }];
    });
    return { type: 'todos', items };
  };
  return { read, unshown: (fields) => except(fields, [listName]) };
}
