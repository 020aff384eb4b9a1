import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../config/log.js';
import { readScheduleFile, type ScheduleFile, scheduleFiles } from './read-schedules.js';
import type { ScheduleOptions, ScheduleReading } from './types.js';

/**
 * The schedules of the files, and what is wrong in them. A file that becomes wrong is logged once, and its former schedules stay; if
 * it had none, its right entries count.
 */
export class WatchedSchedules {
  readonly #configDir: string;
  readonly #options: ScheduleOptions;
  readonly #log: Log;
  readonly #files = new Map<ScheduleFile, ScheduleReading & { readonly version: string }>();

  constructor(configDir: string, options: ScheduleOptions, log: Log) {
    this.#configDir = configDir;
    this.#options = options;
    this.#log = log;
  }

  async current(): Promise<ScheduleReading> {
    const files = await Promise.all(scheduleFiles.map((file) => this.#refresh(file)));
    return {
      schedules: files.flatMap(({ schedules }) => schedules),
      problems: files.flatMap(({ problems }) => problems),
    };
  }

  async #refresh(file: ScheduleFile): Promise<ScheduleReading> {
    const known = this.#files.get(file);
    // The version is read before the file: a change in between is seen the next time.
    const version = await versionOf(join(this.#configDir, file));
    if (known?.version === version) return known;
    const { schedules, problems } = await readScheduleFile(this.#configDir, file, this.#options);
    const former = known?.schedules ?? [];
    // A half-written file must not replace a whole one.
    const kept = problems.length === 0 || former.length === 0 ? schedules : former;
    if (problems.length > 0) this.#log.error('schedules are wrong', { file, problems, kept: kept.length });
    else if (known !== undefined) this.#log.info('schedules changed', { file, schedules: schedules.length });
    const reading = { version, schedules: kept, problems };
    this.#files.set(file, reading);
    return reading;
  }
}

async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}
