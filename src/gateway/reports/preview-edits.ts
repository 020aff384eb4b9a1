import { isAbsolute, relative, resolve, sep } from 'node:path';
import { editNotes } from '../../core/edit-notes.js';
import { cutDiff, diffHeading, unifiedDiff } from '../../core/line-diff.js';
import type { FileEdit } from '../../core/tool-input.js';
import { bytePath, textOfPath } from '../../process/work-tree/byte-path.js';
import type { WorkTreeFiles } from '../../process/work-tree-files.js';

export interface EditContext {
  /** The directory that the turn works in; undefined if it is not known: no file is read then. */
  readonly cwd?: string | undefined;
  /** True if the text of an edit without an old one is the whole file. */
  readonly wholeFiles: boolean;
  /** True if every place is replaced that has the old text. */
  readonly everywhere: boolean;
}

export interface FilePreview {
  readonly path: string;
  readonly diff: string;
  /** The characters of the diff that are left out, if some are. */
  readonly left?: number;
  /** The file that a link leads to, if one does. */
  readonly leadsTo?: string;
  /** True if what would be written lies outside the turn's directory. */
  readonly outside?: true;
}

const maxFileBytes = 256 * 1024;
/** For all files of one preview together. */
const maxDiffCharacters = 1024 * 1024;
/** Of more files the edits are shown by themselves. */
const maxFilesRead = 200;

/** What edits would change in the files as they are now. An edit that does not fit the file is shown by itself. */
export async function previewEdits(
  workTrees: WorkTreeFiles,
  edits: readonly FileEdit[],
  context: EditContext,
): Promise<readonly FilePreview[]> {
  const previews: FilePreview[] = [];
  for (const [path, ofFile] of byPath(edits)) {
    const cwd = previews.length < maxFilesRead ? context.cwd : undefined;
    const target = await targetOf(workTrees, [path, ofFile.at(-1)?.movedTo], cwd);
    const notes = notesOf(ofFile, target, context.cwd);
    const diff =
      notes + (await previewFile(workTrees, path, ofFile, { ...context, reads: cwd !== undefined }));
    previews.push({ path: shownPath(path, context.cwd), diff, ...target });
  }
  return shareRoom(previews, maxDiffCharacters);
}

/** A long diff leaves room for the others: each gets what it needs, or its share of what those that need less leave. */
function shareRoom(previews: readonly FilePreview[], maxCharacters: number): readonly FilePreview[] {
  const cuts = new Map<FilePreview, FilePreview>();
  let room = maxCharacters;
  const shortestFirst = [...previews].sort((one, other) => one.diff.length - other.diff.length);
  for (const [nth, preview] of shortestFirst.entries()) {
    const { diff, left } = cutDiff(preview.diff, Math.floor(room / (previews.length - nth)));
    room -= Math.min(room, diff.length);
    if (left > 0) cuts.set(preview, { ...preview, diff, left });
  }
  return previews.map((preview) => cuts.get(preview) ?? preview);
}

type Target = Pick<FilePreview, 'leadsTo' | 'outside'>;
type Targets = Pick<WorkTreeFiles, 'target'>;

/** A file that an edit is to write elsewhere than its path says. */
export type Lead = Pick<FilePreview, 'path' | 'outside'> & { readonly leadsTo: string };

/** Where edits lead that don't stay where their paths say. */
export async function leadsOf(
  workTrees: Targets,
  edits: readonly FileEdit[],
  cwd: string,
): Promise<readonly Lead[]> {
  const leads: Lead[] = [];
  for (const [path, ofFile] of [...byPath(edits)].slice(0, maxFilesRead)) {
    const { leadsTo, ...where } = await targetOf(workTrees, [path, ofFile.at(-1)?.movedTo], cwd);
    if (leadsTo !== undefined) leads.push({ path: shownPath(path, cwd), leadsTo, ...where });
  }
  return leads;
}

/** Where the file really is, if a link leads there or it is elsewhere: of several the one outside counts. */
async function targetOf(
  workTrees: Targets,
  paths: readonly (string | undefined)[],
  cwd: string | undefined,
): Promise<Target> {
  if (cwd === undefined) return {};
  let found: Target = {};
  for (const path of paths) {
    const target = path === undefined ? undefined : await workTrees.target(bytePath(cwd), bytePath(path));
    if (target === undefined || found.outside) continue;
    const [real, root] = [textOfPath(target.path), textOfPath(target.root)];
    if (target.outside) found = { leadsTo: real, outside: true };
    else if (target.isLinked) found = { leadsTo: shownPath(real, root) };
  }
  return found;
}

function byPath(edits: readonly FileEdit[]): ReadonlyMap<string, readonly FileEdit[]> {
  const found = new Map<string, FileEdit[]>();
  for (const edit of edits) found.set(edit.path, [...(found.get(edit.path) ?? []), edit]);
  return found;
}

async function previewFile(
  workTrees: WorkTreeFiles,
  path: string,
  edits: readonly FileEdit[],
  context: EditContext & { readonly reads: boolean },
): Promise<string> {
  const shown = shownPath(path, context.cwd);
  const target = shownPath(edits.at(-1)?.movedTo ?? path, context.cwd);
  const file =
    context.cwd === undefined || !context.reads ? undefined : await readInside(workTrees, context.cwd, path);
  const changed = file === undefined || file.type === 'unread' ? undefined : applyAll(file, edits, context);
  if (file === undefined || file.type === 'unread' || changed === undefined) {
    const isReplaced = edits.some(({ before, after }) => before === undefined && after !== undefined);
    const note = file?.type === 'unread' && isReplaced ? `\\ ${file.note}\n` : '';
    const isThere = file !== undefined && file.type !== 'missing';
    // The file is named once: what follows a hunk is a line of the file.
    return note + edits.map((edit, nth) => alone(edit, nth, { shown, target, isThere })).join('');
  }
  const names = {
    before: file.type === 'missing' ? undefined : shown,
    after: isDeletion(edits) ? undefined : target,
  };
  return unifiedDiff(file.type === 'missing' ? '' : file.text, changed, names);
}

type KnownFile = { readonly type: 'text'; readonly text: string } | { readonly type: 'missing' };
/** Something is there that is not shown. */
type InsideFile = KnownFile | { readonly type: 'unread'; readonly note: string };

/** Undefined for what lies outside. */
async function readInside(
  workTrees: WorkTreeFiles,
  cwd: string,
  path: string,
): Promise<InsideFile | undefined> {
  const request = { tree: bytePath(cwd), path: bytePath(path), maxBytes: maxFileBytes, followLinks: true };
  const found = await workTrees.read(request);
  if (found.type === 'missing') return { type: 'missing' };
  if (found.type === 'outside') return undefined;
  if (found.type === 'large') return { type: 'unread', note: 'What is there is too long to be shown' };
  if (found.type !== 'file') return { type: 'unread', note: "What is there can't be read" };
  const noText = { type: 'unread', note: 'What is there is no text' } as const;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(found.content);
    return text.includes('\0') ? noText : { type: 'text', text };
  } catch {
    return noText;
  }
}

/** What the lines of a diff don't tell stands in front of them. Readers of diffs pass over these lines. */
function notesOf(edits: readonly FileEdit[], { leadsTo, outside }: Target, cwd: string | undefined): string {
  const where = outside ? `Leads outside the work tree, to ${leadsTo}` : `A link: it leads to ${leadsTo}`;
  const told = edits.flatMap((edit) =>
    editNotes(edit.movedTo === undefined ? edit : { ...edit, movedTo: shownPath(edit.movedTo, cwd) }),
  );
  const notes = leadsTo === undefined ? told : [where, ...told];
  return [...new Set(notes)].map((note) => `\\ ${note.replaceAll(/[\r\n]/g, '?')}\n`).join('');
}

/** The file's text after the edits; undefined if one of them does not fit it. */
function applyAll(file: KnownFile, edits: readonly FileEdit[], context: EditContext): string | undefined {
  let text: string | undefined = file.type === 'missing' ? '' : file.text;
  for (const edit of edits) {
    if (text === undefined) return undefined;
    text = applyEdit(text, edit, context);
  }
  return text;
}

function applyEdit(
  text: string,
  { before, after, diff, deleted }: FileEdit,
  { wholeFiles, everywhere }: EditContext,
): string | undefined {
  if (deleted) return '';
  if (diff !== undefined) return applyHunks(text, diff);
  if (before === undefined) return wholeFiles ? after : undefined;
  // An empty old text is how a CLI makes a new file.
  if (before === '') return text === '' ? after : undefined;
  const at = text.indexOf(before);
  if (at < 0) return undefined;
  if (everywhere) return text.split(before).join(after ?? '');
  return text.slice(0, at) + (after ?? '') + text.slice(at + before.length);
}

/** Hunks without line numbers are looked for, one behind the other. Those with numbers are shown as the CLI tells them. */
function applyHunks(text: string, diff: string): string | undefined {
  const hunks = hunksOf(diff);
  if (hunks === undefined) return undefined;
  let result = '';
  let rest = text;
  for (const lines of hunks) {
    const side = (sign: string) =>
      lines
        .flatMap((line) => (line.startsWith(sign) || line.startsWith(' ') ? [line.slice(1)] : []))
        .join('');
    const before = side('-');
    const at = before === '' ? -1 : rest.indexOf(before);
    if (at < 0) return undefined;
    result += rest.slice(0, at) + side('+');
    rest = rest.slice(at + before.length);
  }
  return result + rest;
}

/**
 * The lines of each hunk; undefined if hunks have numbers. A line ends at \n and nowhere else: for a regular expression with
 * the flag `m` one ends at \r and U+2028 too, and the text of a file could look like a hunk.
 */
function hunksOf(diff: string): readonly (readonly string[])[] | undefined {
  const hunks: string[][] = [];
  for (const line of diff.split(/(?<=\n)/)) {
    if (/^@@ -\d/.test(line)) return undefined;
    if (line.startsWith('@@')) hunks.push([]);
    else if (hunks.length === 0) hunks.push([line]);
    else hunks.at(-1)?.push(line);
  }
  return hunks;
}

function isDeletion(edits: readonly FileEdit[]): boolean {
  return edits.every(
    ({ before, after, diff, deleted }) =>
      deleted === true || (before !== undefined && after === undefined && diff === undefined),
  );
}

interface Shown {
  readonly shown: string;
  readonly target: string;
  /** True if there is a file that the edit changes, whatever is in it. */
  readonly isThere: boolean;
}

function alone({ before, after, diff }: FileEdit, nth: number, { shown, target, isThere }: Shown): string {
  if (diff !== undefined) {
    const ended = diff === '' || diff.endsWith('\n') ? diff : `${diff}\n`;
    return nth > 0 || hasFileNames(diff) ? ended : diffHeading({ before: shown, after: target }) + ended;
  }
  const names = {
    before: before === undefined && !isThere ? undefined : shown,
    after: after === undefined ? undefined : target,
  };
  const text = unifiedDiff(before ?? '', after ?? '', names);
  return nth > 0 ? text.slice(text.indexOf('@@')) : text;
}

/** File names stand in front of the first hunk. Behind it `--- x` is a removed line. */
function hasFileNames(diff: string): boolean {
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) return false;
    if (line.startsWith('diff ') || line.startsWith('--- ')) return true;
  }
  return false;
}

/** A path in the turn's directory is told from there. */
function shownPath(path: string, cwd: string | undefined): string {
  if (cwd === undefined || !isAbsolute(path)) return path;
  const inside = relative(cwd, resolve(path));
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
    ? path
    : inside;
}
