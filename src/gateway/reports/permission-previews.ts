import { describeWholeInput } from '../../core/tool-input.js';
import type { WorkTreeFiles } from '../../process/work-tree-files.js';
import type { StoredPermission } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import type { PermissionPreview } from '../channels/lookups.js';
import { previewEdits } from './preview-edits.js';

export interface PreviewParts {
  readonly store: Pick<Store, 'turns'>;
  readonly workTrees: WorkTreeFiles;
  readonly now: () => number;
}

type Preview = Promise<PermissionPreview | undefined>;

/** Many readers of a channel ask for the same preview at once. */
const keptMs = 1000;
const mostKept = 100;

/** What tools would do, for those who are to allow it. */
export class PermissionPreviews {
  readonly #parts: PreviewParts;
  readonly #kept = new Map<string, { readonly at: number; readonly preview: Preview }>();

  constructor(parts: PreviewParts) {
    this.#parts = parts;
  }

  of(permission: StoredPermission): Preview {
    const now = this.#parts.now();
    const known = this.#kept.get(permission.id);
    if (known !== undefined && Math.abs(now - known.at) < keptMs) return known.preview;
    // A preview that fails leaves the request with its input.
    const preview = this.#make(permission).catch(() => undefined);
    this.#kept.delete(permission.id);
    this.#kept.set(permission.id, { at: now, preview });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    return preview;
  }

  async #make({ tool, input, eventId, turnId }: StoredPermission): Preview {
    const action = describeWholeInput(tool, input);
    if (action.type === 'command') return action;
    if (action.type !== 'edit') return undefined;
    const turns = await this.#parts.store.turns(eventId);
    const files = await previewEdits(this.#parts.workTrees, action.edits, {
      cwd: turns.find(({ id }) => id === turnId)?.setup?.cwd,
      // A cell of a notebook is not the notebook.
      wholeFiles: tool !== 'NotebookEdit',
      everywhere: asksForAll(input),
    });
    return { type: 'edit', files };
  }
}

/** Claude and OpenCode replace every place with this; the flag of one edit among several counts for all, to show no less. */
function asksForAll(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const { replace_all, replaceAll, edits } = input as Record<string, unknown>;
  return replace_all === true || replaceAll === true || (Array.isArray(edits) && edits.some(asksForAll));
}
