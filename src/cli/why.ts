import type { ArchiveReader } from '../gateway/archive/open-archive.js';
import {
  type ArchiveOptions,
  notHere,
  parseArchiveArguments,
  runArchiveCommand,
  wrong,
} from './archive-command.js';
import { type Attempt, describeEvent } from './describe-event.js';
import type { Terminal } from './terminal.js';

export const usageText = `Usage: turnout why <event> [options]

All that is known about an event: its text and state, and for each attempt to answer it the backend, the session,
the files that made the prompt, the tools, the usage and the error. \`turnout history\` shows the ids of events.

  --full        texts and inputs in full length
  --json        one JSON object: the event, and its turns with all that was archived
  --home <dir>  the gateway's data directory (TURNOUT_HOME, default ~/.turnout)

Exit codes: 0 done · 1 no such event, or no data · 2 wrong usage
`;

/** `turnout why`: shows how a message ended, and the settings it was run with. */
export function main(argv: readonly string[]): Promise<number> {
  return runArchiveCommand({ name: 'why', usageText, parse, run }, argv);
}

interface WhyOptions extends ArchiveOptions {
  readonly eventId: string;
  readonly full: boolean;
  readonly json: boolean;
}

function parse(argv: readonly string[]): WhyOptions | 'help' {
  const { values, positionals } = parseArchiveArguments('why', argv, { full: { type: 'boolean' } });
  if (values.help) return 'help';
  const [eventId] = positionals;
  if (eventId === undefined || positionals.length > 1) {
    throw wrong('why', `one event is expected, got ${positionals.length}`);
  }
  return { eventId, full: values.full ?? false, json: values.json ?? false, home: values.home };
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
