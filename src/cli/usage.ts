import { rows } from './command/help-text.js';

/** The commands in the order of a newcomer's need, with the words that are shown of each. */
export const commandGroups: readonly (readonly [title: string, Readonly<Record<string, string>>])[] = [
  [
    'Agents',
    {
      init: 'finds the agent CLIs, and keeps the one that you choose',
      run: 'one turn with an agent: the answer on stdout',
      chat: 'a conversation in this terminal; `turnout` alone does the same',
      sessions: 'your sessions here: what --continue and --resume go on with',
      chain: 'agents that work one after the other, each until it is done',
      agent: 'agents as files and as programs: list, run, install',
    },
  ],
  [
    'This machine',
    {
      config: 'every setting, its value and where it comes from',
      host: 'the resident host of `turnout run --warm`: status, stop',
      doctor: 'which agent CLIs are here, their versions, what each can do',
      capabilities: 'what each backend can do, and which options it takes',
      demo: 'the gateway and its page with the demo agent: no account needed',
      completion: 'completion for bash, zsh and fish',
      version: 'the version of Turnout',
    },
  ],
  [
    'The gateway',
    {
      gateway: 'messages in over HTTP or its page, answers out, losing nothing',
      send: 'a message into a channel; --wait: its answer',
      tail: 'a channel of the running gateway, live',
      status: 'is the gateway up, and what runs, waits and asks there',
      permissions: 'what agents ask for: list, show, allow, deny',
      schedule: 'the next runs of heartbeat and cron',
      history: "what was said in the gateway's channels",
      usage: "what the gateway's turns have used",
      why: 'how a message was answered: attempts, prompt files, tools',
      pair: 'who may write to the bot in Discord: list, approve, remove',
      service: 'a systemd unit for the gateway',
    },
  ],
];

/** The words of a command in the overview, and in a shell's completion. */
export function commandSummary(name: string): string {
  const all: Readonly<Record<string, string>> = Object.assign({}, ...commandGroups.map(([, group]) => group));
  return all[name] ?? '';
}

const width = Math.max(
  ...commandGroups.flatMap(([, group]) => Object.keys(group).map((name) => name.length)),
);

export const overview = `turnout: one runtime for every coding-agent CLI

Usage: turnout <command> [options]

${commandGroups
  .map(
    ([title, group]) =>
      `${title}:\n${rows(Object.entries(group).map(([name, words]) => [name.padEnd(width), words]))}`,
  )
  .join('\n\n')}

\`turnout help <command>\` shows a command's options, with examples.

Examples:
  turnout run "explain this repository"
  turnout demo                          # no account needed
  turnout doctor                        # what is here, and what is missing
`;
