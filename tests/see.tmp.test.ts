import { createBackend } from '../src/backends/registry.js';
import { readRecordings, stdoutOf, sessionIdIn } from './contract/recordings.js';
import { it } from './contract/stage.js';
for (const cli of ['claude','codex','gemini','opencode'] as const)
  it(cli, async ({ stage }) => {
    for (const r of readRecordings(cli)) {
      const b = createBackend(cli, stage.config('replay.sh', stage.replay(stdoutOf(r), { stderr: r.stderr, exit: r.exit.code ?? 0 })));
      const id = r.scenario.startsWith('resume-unknown') ? (r.scenario.endsWith('name') ? 'no-such-name' : cli === 'opencode' ? 'ses_1111111111111111111111111' : '11111111-1111-4111-8111-111111111111') : r.scenario.startsWith('resume') ? sessionIdIn(r) : undefined;
      const events = []; for await (const e of b.run({ prompt: 'hi', sessionId: id, stream: r.format === 'stream' })) events.push(e);
      console.log(`${cli}/${r.scenario}  ${events.map(e=>e.type).join(' ')}\n    ${JSON.stringify(events.at(-1)).slice(0,900)}`);
    }
  });
