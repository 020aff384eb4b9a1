import { join } from 'node:path';
import { readJsonFile } from '../launch/read-json-file.js';
import type { ScratchFile } from '../launch/scratch-files.js';

/** By default a model of the vendor decides in plan mode what may run; with this it asks, and nobody allows it. */
const asking = { useAutoModeDuringPlan: false };

export interface SettingsArguments {
  readonly args: readonly string[];
  /** The files that the arguments name. */
  readonly files: readonly ScratchFile[];
}

/**
 * Of several `--settings` Claude takes the last one (2.1.325), so ours and the user's become one. They go through a file: the
 * user's may hold keys, and every user of the machine can see arguments.
 */
export async function settingsFor(
  file: string | undefined,
  mustAsk: boolean,
  scratch: string,
): Promise<SettingsArguments> {
  if (file === undefined) return { args: mustAsk ? ['--settings', JSON.stringify(asking)] : [], files: [] };
  if (!mustAsk) return { args: ['--settings', file], files: [] };
  const merged = { ...(await readJsonFile(file, 'The settings file')), ...asking };
  const path = join(scratch, 'settings.json');
  return { args: ['--settings', path], files: [{ path, content: JSON.stringify(merged) }] };
}
