import { join } from 'node:path';
import { readTextFile } from '../../config/read-text-file.js';
import { cronFile, parseCron } from './read-cron.js';
import { heartbeatFile, parseHeartbeat } from './read-heartbeat.js';
import type { ScheduleOptions, ScheduleReading } from './types.js';

export type { Schedule, ScheduleOptions, ScheduleReading } from './types.js';

export const scheduleFiles = [heartbeatFile, cronFile] as const;
export type ScheduleFile = (typeof scheduleFiles)[number];

/** All schedules, and all problems. A missing file schedules nothing. */
export async function readSchedules(configDir: string, options: ScheduleOptions): Promise<ScheduleReading> {
  const read = await Promise.all(scheduleFiles.map((file) => readScheduleFile(configDir, file, options)));
  return {
    schedules: read.flatMap(({ schedules }) => schedules),
    problems: read.flatMap(({ problems }) => problems),
  };
}

export async function readScheduleFile(
  configDir: string,
  file: ScheduleFile,
  options: ScheduleOptions,
): Promise<ScheduleReading> {
  const reading = await readTextFile(join(configDir, file), maxFileBytes);
  if (reading.type === 'missing') return { schedules: [], problems: [] };
  if (reading.type === 'problem') return { schedules: [], problems: [`${file}: ${reading.problem}`] };
  if (reading.file.truncated) {
    return { schedules: [], problems: [`${file}: is larger than ${maxFileBytes} bytes`] };
  }
  const parse = file === heartbeatFile ? parseHeartbeat : parseCron;
  return parse(reading.file.text, options);
}

const maxFileBytes = 256 * 1024;
