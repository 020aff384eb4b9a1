import { expect, it } from 'vitest';
import { anyWork, everythingAtOnce } from './faults/everything-at-once.js';
import { expectNothingWrong } from './faults/expect-nothing-wrong.js';
import { runWithHarm } from './faults/run-fault.js';
import { seeded } from './kill/seeded.js';

const seconds = Number(process.env['CHAOS_SECONDS'] ?? 600);
const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 2 ** 31);

it(`kills, full disk, disk errors, no files, wrong clocks, hostile agents and clients for ${seconds} s (CHAOS_SEED=${seed})`, async () => {
  const random = seeded(seed);
  const perChannel = Math.max(5, Math.round(seconds / 4));
  const outcome = await runWithHarm({
    size: { channels: 8, perChannel },
    work: () => anyWork(random),
    // A message goes out every second on average, as long as everything goes wrong.
    pauseMs: 6000,
    settings: { MAX_OUTPUT_MB: '16', RETRY_DELAY_MS: '200' },
    restartsAfterFailure: true,
    happen: (harm, gateway, client) => everythingAtOnce(harm, gateway, client, { seconds, random }),
  });
  process.stdout.write(
    `chaos: ${outcome.messages} messages, ${outcome.kills} kills, ${outcome.restarts} failed starts, ` +
      `${outcome.toldAndRetried} told and retried, ${outcome.hostile} hostile messages\n`,
  );
  expect(outcome.messages).toBeGreaterThan(0);
  expectNothingWrong(outcome);
});
