import { measureChains } from './chains.js';
import { measureChat } from './chat.js';
import { measureGateway } from './gateway.js';
import { measureLive } from './live.js';
import { measureOneShot } from './one-shot.js';
import { measurePage } from './page.js';
import { type Comparison, printReport } from './report.js';
import { measureShell } from './shell.js';
import { measureStartUp } from './start-up.js';
import { measureStore } from './store.js';
import { measureStream } from './stream.js';
import { measureWarm } from './warm.js';

// `npm run bench [-- name …]`: every figure is a ratio against something else in the same run.
const suites: Readonly<Record<string, () => Promise<readonly Comparison[]>>> = {
  'start-up': measureStartUp,
  shell: measureShell,
  warm: measureWarm,
  chat: measureChat,
  'one-shot': measureOneShot,
  stream: measureStream,
  live: measureLive,
  chains: measureChains,
  store: measureStore,
  gateway: measureGateway,
  page: measurePage,
};

const wanted = process.argv.slice(2);
for (const name of wanted) {
  if (Object.hasOwn(suites, name)) continue;
  console.error(`Unknown benchmark ${JSON.stringify(name)}. There are: ${Object.keys(suites).join(', ')}.`);
  process.exit(2);
}
for (const [name, measure] of Object.entries(suites)) {
  if (wanted.length === 0 || wanted.includes(name)) printReport(await measure());
}
