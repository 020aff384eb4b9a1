import { exitCodes } from '../../core/exit-codes.js';
import { duration } from '../../core/format.js';
import { shortQuestionId } from '../../core/question-id.js';
import { oneLine } from '../../core/text.js';
import type {
  ChannelsView,
  ChannelView,
  GatewayView,
  PermissionView,
  QueueView,
} from '../../gateway/channels/http/wire.js';
import type { CommandPage } from '../command/command-page.js';
import { wrongUsage } from '../command/read-flags.js';
import { table } from '../output/table.js';
import { type ClientRun, clientFlags, printObject, runClientCommand } from './client-command.js';
import { GatewayRefusal } from './gateway-request.js';
import { askedFor } from './words.js';

export const page = {
  usage: ['status [options]'],
  about:
    'Is the gateway up? Its version, since when it runs, its address, process and home, what is wrong with it, its connection to Discord, and the channels in which something runs, waits or asks.',
  flags: {
    all: { type: 'switch', short: 'a', about: 'the other channels, too' },
    ...clientFlags,
  },
  examples: [['status'], ['status --json | jq .gateway.version']],
  exitCodes: '0 up · 1 up, but not ready · 2 wrong usage · 3 no gateway is running',
} as const satisfies CommandPage;

/** `turnout status`: a running gateway at a glance. */
export function main(argv: readonly string[]): Promise<number> {
  return runClientCommand(
    {
      name: 'status',
      page,
      parse: ({ positionals, has }) => {
        if (positionals.length > 0)
          throw wrongUsage('status', `unexpected: ${JSON.stringify(positionals[0])}`);
        return { all: has('all') };
      },
      run,
    },
    argv,
  );
}

interface Facts {
  /** Where it answers. */
  readonly address: string;
  readonly gateway: GatewayView;
  /** Undefined if the gateway could not read it; its problems say why. */
  readonly queue: Pick<QueueView, 'running' | 'waiting'> | undefined;
  readonly permissions: readonly PermissionView[] | undefined;
  readonly channels: ChannelsView['channels'] | undefined;
}

async function run(
  { all }: { readonly all: boolean },
  { client, terminal, json, flags }: ClientRun,
): Promise<number> {
  const unread: GatewayRefusal[] = [];
  const orUnread = (error: unknown): undefined => {
    if (!(error instanceof GatewayRefusal) || error.status < 500) throw error;
    unread.push(error);
  };
  const [address, queue, permissions, channels] = await Promise.all([
    client.address(),
    client.queue().catch(orUnread),
    client.permissions().catch(orUnread),
    client.channels().catch(orUnread),
  ]);
  // Asked last: it knows of what went wrong with the others.
  const gateway = withProblem(await client.status(), unread[0]);
  const facts: Facts = {
    ...{ address, gateway },
    queue: queue && { running: queue.running, waiting: queue.waiting },
    permissions: permissions?.permissions,
    channels: channels?.channels,
  };
  await terminal.write(
    json ? printObject({ running: true, ...facts }) : describeStatus(facts, { all, now: Date.now(), flags }),
  );
  return gateway.ready ? exitCodes.done : exitCodes.failed;
}

/** A gateway that seems to be ready, and does not say what it has. */
function withProblem(gateway: GatewayView, unread: GatewayRefusal | undefined): GatewayView {
  if (unread === undefined || !gateway.ready) return gateway;
  return { ...gateway, ready: false, problems: [...gateway.problems, unread.message] };
}

export function describeStatus(
  facts: Facts,
  { all, now, flags = '' }: { all: boolean; now: number; flags?: string },
): string {
  const { gateway, permissions = [], channels = [] } = facts;
  const { version, startedAt, backend, live, ready, problems, discord, pid, home } = gateway;
  const up = duration(Math.max(0, now - Date.parse(startedAt)));
  const head = [
    `gateway:  ${ready ? 'up' : 'up, but not ready'}, for ${up} (turnout ${oneLine(version)})`,
    `address:  ${facts.address} (process ${pid})`,
    `home:     ${oneLine(home, 400)}`,
    `backend:  ${oneLine(backend)}${live ? ' (live)' : ''}`,
    ...(discord === undefined ? [] : [`Discord:  ${discord}`]),
    ...problems.map((problem) => `problem:  ${oneLine(problem, 400)}`),
  ];
  const active = channels.filter((one) => one.running || one.waiting > 0 || one.permissions > 0);
  const shown = all ? channels : active;
  const quiet = channels.length - active.length;
  const rows = shown.map((channel) => row(channel, facts, now));
  const list = rows.length === 0 ? '' : `\n${table([header, ...rows], ['left', 'left', 'left', 'left'])}`;
  const questions = permissions.map(
    (question) => `? ${shortQuestionId(question.id)}  ${askedFor(question, flags)}`,
  );
  const asks =
    questions.length === 0
      ? ''
      : `\n${questions.join('\n')}\n  turnout permissions allow|deny <id>${flags}\n`;
  const rest = all || quiet === 0 ? '' : `\n${quiet} ${quiet === 1 ? 'channel is' : 'channels are'} idle.\n`;
  return `${head.join('\n')}\n${list}${asks}${rest}`;
}

const header = ['CHANNEL', 'RUNS', 'WAITING', 'TITLE'];

function row({ channel, title, waiting, running, permissions }: ChannelView, { queue }: Facts, now: number) {
  const turn = queue?.running.find((one) => one.channel === channel);
  const since = turn === undefined ? '' : ` for ${duration(Math.max(0, now - Date.parse(turn.startedAt)))}`;
  const state = permissions > 0 ? 'asks' : running ? oneLine(turn?.backend ?? 'yes') : '';
  return [
    oneLine(channel, 40),
    running || permissions > 0 ? `${state}${since}` : '',
    waiting === 0 ? '' : String(waiting),
    oneLine(title, 36),
  ];
}
