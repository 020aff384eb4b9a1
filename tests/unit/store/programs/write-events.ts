// This program accepts, claims and finishes events as fast as it can, and prints those that the store has
// confirmed.
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';

const [file = ''] = process.argv.slice(2);
const store = await openSqliteStore(file);
const say = (line: string) => process.stdout.write(`${line}\n`);
let number = 0;

async function acceptForEver(channel: string): Promise<void> {
  for (;;) {
    const text = `${number++}`;
    const { event } = await store.accept(
      { channel, source: 'test', kind: 'prompt', text, messageId: text, at: 1 },
      { maxWaiting: 1e9 },
    );
    say(`accepted ${event.id}`);
  }
}

async function answerForEver(): Promise<void> {
  for (;;) {
    const claims = await store.claim({ worker: 'w1', now: 1, leaseUntil: 2, limit: 5 });
    await Promise.all(
      claims.map(async ({ lease, event }) => {
        const messages = [{ role: 'assistant' as const, text: event.text }];
        await store.finish(lease, {
          at: 1,
          state: 'answered',
          responseText: event.text,
          messages,
          events: [],
        });
        say(`answered ${event.id}`);
      }),
    );
  }
}

await Promise.all([answerForEver(), ...Array.from({ length: 10 }, (_, i) => acceptForEver(`c${i}`))]);
