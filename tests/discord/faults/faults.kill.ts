import { expect, it } from 'vitest';
import { table, writeSection } from '../fault-page.js';
import { until } from '../loopback/until.js';
import { setUpFaults } from './fault-stage.js';
import { explained, finalFaults, runFinalFaults } from './final-faults.js';
import { interactionFaults, runInteractionFaults } from './interaction-faults.js';
import { restFaults, runRestFaults } from './rest-faults.js';
import { runSocketFaults, socketFaults } from './socket-faults.js';
import { runZombie, zombie } from './zombie.js';

it('no fault of Discord loses a question or an answer, or makes one twice (17.6)', async () => {
  const [rest, socket] = await Promise.all([
    started({ restTimeoutMs: 500 }).then(async (stage) => ({
      sending: await runRestFaults(stage),
      broken: stage.discord.violations,
    })),
    started().then(async (stage) => ({
      socket: await runSocketFaults(stage),
      commands: await runInteractionFaults(stage),
      broken: stage.discord.violations,
    })),
  ]);
  const silent = await runZombie();
  const final = await runFinalFaults();
  // Discord itself has told the command twice.
  expect([...rest.broken, ...socket.broken.filter(({ detail }) => !detail.endsWith('twice'))]).toEqual([]);
  const groups = [
    ['an answer is sent', rest.sending, restFaults, {}],
    ['the socket', { ...socket.socket, ...silent }, { ...socketFaults, [zombie]: {} }, {}],
    ['a slash command is acknowledged', socket.commands, interactionFaults, expectedOf(interactionFaults)],
    ['the socket, for good', final, finalFaults, allOf(finalFaults, explained)],
  ] as const;
  const rows = groups.flatMap(([where, outcomes, faults, expected]) =>
    Object.keys(faults).map((name) => {
      const outcome = (outcomes as Record<string, string>)[name] ?? 'missing';
      expect(outcome, `${where}: ${name}`).toBe((expected as Record<string, string>)[name] ?? 'once');
      return [where, name, outcome];
    }),
  );
  const text = table(['what fails', 'how', 'questions, answers and commands'], rows);
  writeSection('Faults', `${introduction}\n${text}\n\n${legend}`);
});

async function started(options = {}) {
  const stage = await setUpFaults(options);
  await stage.start();
  await until(() => stage.discord.gateway.connected, 'the connection');
  return stage;
}

function expectedOf(faults: Readonly<Record<string, { readonly expected?: string }>>) {
  return Object.fromEntries(Object.entries(faults).map(([name, { expected }]) => [name, expected ?? 'once']));
}

function allOf(faults: object, expected: string) {
  return Object.fromEntries(Object.keys(faults).map((name) => [name, expected]));
}

const introduction = `The whole gateway, with agents that answer in two messages. One question is being answered when the fault comes, the next one is
asked during it, and for the socket one more after it.
`;

const legend = `- A message whose answer is lost is sent again by the outbox, which waits longer each time, and with the same nonce; if the first try
  was more than a minute ago, the channel's history is looked at first. discord.js itself repeats nothing that posts.
- A command whose acknowledgement comes too late is not done: Discord has told its author that it failed, and it may come again.
`;
