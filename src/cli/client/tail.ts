import { nearest } from '../../core/distance.js';
import { exitCodes } from '../../core/exit-codes.js';
import type { CommandPage } from '../command/command-page.js';
import { screenOptions } from '../output/progress-screen.js';
import type { Terminal } from '../output/terminal.js';
import { ChannelLines } from './channel-lines.js';
import { oneChannel } from './check-channel.js';
import { type ClientRun, clientFlags, runClientCommand } from './client-command.js';
import type { GatewayClient } from './gateway-client.js';
import { tellConnection } from './tell-connection.js';

export const page = {
  usage: ['tail <channel> [options]'],
  about:
    'What happens in a channel of the running gateway, while it happens: messages, answers as they are written, tools, questions. It begins with the turn that runs, if one does, and goes on until Ctrl-C, also when the gateway is restarted: nothing is lost, and nothing comes twice. What was said before is in `turnout history <channel>`, which goes on, too, with --follow.',
  operand: 'channels',
  flags: {
    after: { type: 'text', value: 'id', about: 'goes on behind an `id` that --json has told' },
    ...clientFlags,
  },
  notes:
    'With --json every line is an object with a `type`: said (a message), turn, chat (what the agent says and does: docs/events.md), state (the channel as it is now), reset, connected and lost.',
  examples: [['tail main'], [`tail main --json | jq 'select(.type == "said").message.text'`]],
  exitCodes:
    '0 ended by Ctrl-C, or its reader left · 1 the gateway refused · 2 wrong usage · 3 no gateway is running',
} as const satisfies CommandPage;

/** `turnout tail`: shows a channel live. */
export function main(argv: readonly string[]): Promise<number> {
  return runClientCommand(
    {
      name: 'tail',
      page,
      parse: (given) => ({ channel: oneChannel('tail', given.positionals), after: given.text('after') }),
      run,
    },
    argv,
  );
}

async function run(
  { channel, after }: { readonly channel: string; readonly after: string | undefined },
  { client, terminal, signal, json, flags }: ClientRun,
): Promise<number> {
  const lines = new ChannelLines(flags);
  const colours = screenOptions(process.stdout, process.env).colours;
  for await (const entry of client.follow(channel, { after, signal })) {
    if (json) await terminal.write(`${JSON.stringify(entry)}\n`);
    // It is only a hint: if the gateway is gone again, that is said anyway.
    if (entry.type === 'connected' && !entry.again)
      await tellBeginning(client, channel, terminal).catch(() => undefined);
    else if (entry.type === 'connected' || entry.type === 'lost') {
      if (!json) for (const { text } of lines.breakLine()) await terminal.write(text);
      tellConnection(entry, terminal);
    } else if (!json)
      for (const { tone, text } of lines.see(entry)) await terminal.writeIn(tone, text, colours);
    if (signal.aborted) break;
  }
  return exitCodes.done;
}

/** A channel need not be there yet; a misspelt one never will be. */
async function tellBeginning(client: GatewayClient, channel: string, terminal: Terminal): Promise<void> {
  const { messages } = await client.messages(channel, { limit: 1 });
  if (messages.length > 0) return terminal.hint(`following ${channel}; Ctrl-C ends`);
  const known = (await client.channels()).channels.map((one) => one.channel);
  const near = nearest(channel, known);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  terminal.say(`nothing was said in ${channel} yet: waiting for it.${meant}`);
}
