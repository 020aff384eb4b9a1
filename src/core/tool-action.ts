import { readPatch } from './patch-text.js';

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
  const read = readers.get(tool.toLowerCase());
  return read?.(input) ?? { type: 'other' };
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (input: unknown) => ToolAction | undefined;

const maxText = 512 * 1024;
const maxEntries = 200;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // Claude and OpenCode (`bash`), Codex (`shell`; in older versions the others), Gemini.
  ...named(['bash', 'shell', 'exec_command', 'local_shell', 'run_shell_command'], readCommand),
  // Claude and OpenCode (`Edit`, `Write`), Claude alone, Gemini. `patch` was OpenCode's before `apply_patch`.
  ...named(['edit', 'write', 'notebookedit', 'replace', 'write_file'], readEdit),
  ...named(['multiedit'], readMultiEdit),
  ...named(['apply_patch', 'patch', 'file_change'], readPatchTool),
  // Claude and OpenCode, Gemini, Codex.
  ...named(['todowrite', 'write_todos', 'update_plan'], readTodos),
]);

function named(names: readonly string[], reader: Reader): readonly (readonly [string, Reader])[] {
  return names.map((name) => [name, reader]);
}

function readCommand(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  const given = fields['command'] ?? fields['cmd'];
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string').join(' ') : given;
  if (typeof words !== 'string' || words === '') return undefined;
  const cwd = firstText(fields, ['cwd', 'workdir', 'dir_path', 'directory']);
  return {
    type: 'command',
    command: cut(withoutShell(words)),
    ...(cwd === undefined ? {} : { cwd: cut(cwd) }),
  };
}

/** Codex starts each command in a shell, `/bin/bash -lc '…'`. What is quoted in another way stays as it is. */
function withoutShell(command: string): string {
  const [, quoted, bare] = /^(?:\/\S*\/)?(?:ba|z)?sh -lc (?:'([^']*)'|([\w./-]+))$/.exec(command) ?? [];
  return quoted ?? bare ?? command;
}

function readEdit(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  const path = pathOf(fields);
  if (path === undefined) return patched(fields);
  return { type: 'edit', edits: [{ path, ...textsOf(fields) }] };
}

function readMultiEdit(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  const path = pathOf(fields);
  const edits = listOf(fields['edits']).flatMap((edit): readonly FileEdit[] => {
    const ownPath = pathOf(edit) ?? path;
    return ownPath === undefined ? [] : [{ path: ownPath, ...textsOf(edit) }];
  });
  return edits.length === 0 ? readEdit(input) : { type: 'edit', edits };
}

/** A patch: the text itself (OpenCode, and the model's call of Codex), or a list of changes (Codex, and OpenCode's question). */
function readPatchTool(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  return edits(changesOf(fields)) ?? patched(typeof input === 'string' ? { patch: input } : fields);
}

function patched(fields: Fields): ToolAction | undefined {
  const patch = firstText(fields, ['patchText', 'patch', 'input']);
  const parts = patch === undefined ? [] : readPatch(patch.slice(0, maxText), maxEntries);
  return edits(
    parts.map(({ path, type, text, movedTo }) => ({
      path,
      ...(type === 'add' ? { after: cut(text) } : type === 'update' ? { diff: cut(text) } : {}),
      ...(movedTo === undefined ? {} : { movedTo }),
    })),
  );
}

function edits(found: readonly FileEdit[]): ToolAction | undefined {
  return found.length === 0 ? undefined : { type: 'edit', edits: found };
}

/** `changes` is a list; in older versions of Codex it was an object by path: `{"a.txt": {"add": {"content": "…"}}}`. */
function changesOf({ changes, files }: Fields): readonly FileEdit[] {
  const list =
    typeof changes === 'object' && changes !== null && !Array.isArray(changes)
      ? entriesOf(changes).map(([path, change]) => ({ path, ...olderChange(fieldsOf(change)) }))
      : listOf(changes ?? files);
  return list.flatMap((change): readonly FileEdit[] => {
    const path = pathOf(change);
    return path === undefined ? [] : [{ path, ...changeOf(change) }];
  });
}

function olderChange(change: Fields): Fields {
  const [kind, facts] = entriesOf(change)[0] ?? [];
  return { ...fieldsOf(facts), kind };
}

/** Codex (`kind`) has the text of a new and of a deleted file as its `diff`; in OpenCode's question (`type`) it is a diff. */
function changeOf(change: Fields): Omit<FileEdit, 'path'> {
  const diff = firstText(change, ['diff', 'unified_diff', 'patch', 'content']);
  const moved = firstText(change, ['move_path', 'movePath']);
  return {
    ...(diff === undefined ? {} : { [changeNames.get(change['kind']) ?? 'diff']: cut(diff) }),
    ...(moved === undefined || moved === '' ? {} : { movedTo: cut(moved) }),
  };
}

const changeNames: ReadonlyMap<unknown, 'before' | 'after'> = new Map([
  ['add', 'after'],
  ['delete', 'before'],
]);

function textsOf(fields: Fields): Omit<FileEdit, 'path'> {
  const before = firstText(fields, ['old_string', 'oldString', 'old_text', 'oldText']);
  const after = firstText(fields, ['new_string', 'newString', 'new_text', 'content', 'new_source']);
  const diff = firstText(fields, ['diff']);
  return {
    ...(before === undefined ? {} : { before: cut(before) }),
    ...(after === undefined || fields['edit_mode'] === 'delete' ? {} : { after: cut(after) }),
    ...(diff === undefined ? {} : { diff: cut(diff) }),
  };
}

function readTodos(input: unknown): ToolAction | undefined {
  const fields = fieldsOf(input);
  const list = fields['todos'] ?? fields['plan'];
  if (!Array.isArray(list)) return undefined;
  const items = listOf(list).flatMap((item): readonly TodoItem[] => {
    const text = firstText(item, ['content', 'description', 'step', 'text']);
    const status = item['status'];
    if (text === undefined || status === 'cancelled') return [];
    const state = status === 'completed' || status === 'in_progress' ? status : 'pending';
    return [{ text: cut(text, 1000), state }];
  });
  return { type: 'todos', items };
}

function pathOf(fields: Fields): string | undefined {
  const path = firstText(fields, ['file_path', 'filePath', 'filepath', 'notebook_path', 'path']);
  return path === undefined || path === '' ? undefined : cut(path, 4096);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).slice(0, maxEntries);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.slice(0, maxEntries).map(fieldsOf) : [];
}

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** Whoever is shown the text must see that it is not all. */
function cut(text: string, max = maxText): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}\n… (${text.length - max} more characters)`;
}
