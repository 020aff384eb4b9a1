import type { ArchiveReader } from '../../gateway/archive/open-archive.js';
import type { CommandPage } from '../command/command-page.js';
import { wantsJson } from '../command/json-flags.js';
import type { Terminal } from '../output/terminal.js';
import {
  type ArchiveOptions,
  archiveFlags,
  notHere,
  readArchiveFlags,
  runArchiveCommand,
  wrong,
} from './archive-command.js';
import { type Attempt, describeEvent } from './describe-event.js';

export const page = {
  usage: ['why <event> [options]'],
  about:
    'All that is known about an event: its text and state, and for each attempt to answer it the backend, the session, the files that made the prompt, the tools, the usage and the error. `turnout history` shows the ids of events.',
  flags: {
    full: { type: 'switch', about: 'texts and inputs in full length' },
    ...archiveFlags,
  },
  examples: [
    ['why 01JB2Q --full', 'an id that `turnout history main` shows'],
    ['why 01JB2Q --json | jq .turns'],
  ],
  exitCodes: '0 done · 1 no such event, or no data · 2 wrong usage',
} as const satisfies CommandPage;

/** `turnout why`: shows how a message ended, and the settings it was run with. */
export function main(argv: readonly string[]): Promise<number> {
  return runArchiveCommand({ name: 'why', page, parse, run }, argv);
}

interface WhyOptions extends ArchiveOptions {
  readonly eventId: string;
  readonly full: boolean;
  readonly json: boolean;
}

function parse(argv: readonly string[]): WhyOptions | 'help' {
  return readArchiveFlags('why', argv, page.flags, (given) => {
    const [eventId, ...more] = given.positionals;
    if (eventId === undefined || more.length > 0) {
      throw wrong('why', `one event is expected, got ${given.positionals.length}`);
    }
    return {
      eventId,
      full: given.has('full'),
      json: wantsJson(given),
      home: given.text('home'),
      demo: given.has('demo'),
    };
  });
}

async function run(archive: ArchiveReader, options: WhyOptions, terminal: Terminal): Promise<void> {
  const event = await archive.event(options.eventId);
  if (event === undefined) {
    throw notHere(
      `There is no event ${JSON.stringify(options.eventId)}.`,
      '`turnout history <channel>` shows the ids of events; what is older than RETENTION_DAYS is gone.',
    );
  }
  if (event.removed) {
    throw notHere(
      `The event ${JSON.stringify(event.id)} is no longer kept (RETENTION_DAYS): it ended as ${event.state}.`,
    );
  }
  const attempts: Attempt[] = [];
  for (const turn of await archive.turns(event.id)) {
    attempts.push({ turn, events: await archive.turnEvents(turn.id) });
  }
  if (!options.json) return terminal.write(describeEvent(event, attempts, options));
  const turns = attempts.map(({ turn, events }) => ({ ...turn, events }));
  await terminal.write(`${JSON.stringify({ event, turns }, null, 2)}\n`);
}
