import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readEnvironment } from '../../config/read-environment.js';
import { TurnoutError } from '../../core/errors.js';

/** The directory whose agents are meant. Settings of turns are not looked at: nothing is run. */
export async function agentPlace(cwd: string | undefined): Promise<string> {
  const flags = cwd === undefined ? {} : { WORKING_DIR: cwd };
  const { settings } = await readEnvironment({ environment: process.env, flags, command: 'place' });
  const place = resolve(settings['WORKING_DIR'] ?? '.');
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) return place;
  throw new TurnoutError('bad_request', `The working directory ${place} is not there.`, {
    hint: 'Choose another one with --cwd or WORKING_DIR.',
  });
}
