// `node --import tsx tests/real/claude-live-record.ts` records the lines between the pinned CLI and the live
// protocol into tests/fixtures/recordings/claude/live-*.jsonl: one JSON object a line, {"in": line} from the
// CLI, {"out": line} to it. Ids, times, ports and paths are normalised.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installCli } from '../../scripts/install-cli.js';
import { claudeLive } from '../../src/backends/claude/live/protocol.js';
import type { LiveProcess, LiveSession, PermissionAnswer } from '../../src/backends/live/types.js';
import type { PermissionMode } from '../../src/core/permission-mode.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';

const directory = join(import.meta.dirname, '../fixtures/recordings/claude');

interface Take {
  readonly mode?: PermissionMode;
  play(session: LiveSession, model: ScriptedModel, process: LiveProcess, home: LabHome): Promise<unknown>;
}

const takes: Readonly<Record<string, Take>> = {
  'three-turns': {
    async play(session, model) {
      model.use([{ steps: [{ text: ['Hello ', 'from the ', 'model.'] }] }, 'two', 'three']);
      for (const prompt of ['first', 'second', 'third']) await turn(session, prompt);
    },
  },
  thinking: {
    async play(session, model) {
      model.use([{ steps: [{ thinking: ['Let me ', 'think.'] }, { text: ['The answer ', 'is 42.'] }] }]);
      await turn(session, 'think');
    },
  },
  tool: {
    async play(session, model) {
      const call = { steps: [{ text: 'Looking. ' }, { shell: 'echo made by a tool' }] };
      model.use([call, { steps: [{ text: ['The tool ', 'said it.'] }] }]);
      await turn(session, 'look');
    },
  },
  permissions: {
    mode: 'ask',
    async play(session, model, _, home) {
      const path = join(home.workingDir, 'denied.txt');
      model.use([{ steps: [{ shell: 'touch allowed.txt' }] }, 'done']);
      await turn(session, 'allow it', { decision: 'allow' });
      model.use([{ steps: [{ writeFile: { path, content: 'x' } }] }, 'pity']);
      await turn(session, 'deny it', { decision: 'deny', message: 'not on a Sunday' });
      model.use([{ steps: [{ shell: 'touch never.txt' }] }, 'never']);
      await turn(session, 'interrupt it', 'interrupt');
    },
  },
  interrupt: {
    async play(session, model) {
      model.use([{ steps: [{ text: ['one ', 'two ', 'three '], delayMs: 200 }] }, 'fine']);
      for await (const event of session.turn('go')) if (event.type === 'text') await session.interrupt();
      await turn(session, 'again');
    },
  },
  'interrupt-tool': {
    async play(session, model) {
      model.use([{ steps: [{ shell: 'tail -f /dev/null' }] }, 'fine']);
      for await (const event of session.turn('go')) {
        if (event.type !== 'tool_start') continue;
        await sleep(500);
        await session.interrupt();
      }
      await turn(session, 'again');
    },
  },
  'http-401': {
    async play(session, model) {
      model.use([{ status: 401, message: 'invalid key' }]);
      await turn(session, 'go');
    },
  },
  'http-429': {
    async play(session, model) {
      model.use([{ status: 429, message: 'slow down' }]);
      await turn(session, 'go');
      model.use(['fine']);
      await turn(session, 'again');
    },
  },
  'broken-stream': {
    async play(session, model) {
      const whole = { steps: [{ text: ['aa ', 'bb ', 'cc'] }] };
      model.use([{ steps: [{ text: ['aa ', 'bb '] }, { cut: true }] }, whole]);
      await turn(session, 'go');
    },
  },
  unprompted: {
    async play(session, model) {
      const input = { command: 'sleep 0.3', run_in_background: true };
      const woken = { steps: [{ text: ['woken ', 'up '], delayMs: 400 }] };
      model.use([{ steps: [{ tool: 'Bash', input }] }, 'started', woken, 'the answer']);
      model.forget();
      await turn(session, 'go');
      await model.turn(3);
      await turn(session, 'and now?');
    },
  },
  clear: {
    async play(session, model, process, home) {
      model.use(['one', 'two']);
      await turn(session, 'first');
      await session.close();
      await turn(await process.open(options('bypass', home)), 'second');
    },
  },
};

const model = await startScriptedModel();
try {
  for (const [name, take] of Object.entries(takes)) await record(name, take);
} finally {
  await model.close();
}

async function record(name: string, take: Take): Promise<void> {
  const home = await makeHome('claude', model.url);
  const lines: { direction: 'in' | 'out'; line: string }[] = [];
  const wanted = options(take.mode ?? 'bypass', home);
  const process = await claudeLive.start(wanted, {
    command: installCli('claude'),
    env: home.env,
    scratch: join(home.directory, 'scratch'),
    trace: (entry) => entry.type === 'line' && lines.push(entry),
  });
  try {
    // The greeting lists what is installed, and nothing of a turn.
    lines.length = 0;
    await take.play(await process.open(wanted), model, process, home);
  } finally {
    await process.end();
    await home.remove();
  }
  const fix = normaliser(home);
  const entries = lines.map(({ direction, line }) => JSON.stringify({ [direction]: fix(line) }));
  writeFileSync(join(directory, `live-${name}.jsonl`), `${entries.join('\n')}\n`);
}

function options(permissionMode: PermissionMode, home: LabHome) {
  return { cwd: home.workingDir, systemPrompt: '', permissionMode, allowedTools: [], disallowedTools: [] };
}

async function turn(
  session: LiveSession,
  prompt: string,
  answer?: PermissionAnswer | 'interrupt',
): Promise<void> {
  for await (const event of session.turn(prompt)) {
    if (event.type !== 'permission_request' || answer === undefined) continue;
    await (answer === 'interrupt' ? session.interrupt() : session.answerPermission(event.id, answer));
  }
}

function normaliser(home: LabHome): (line: string) => string {
  const seen = new Map<string, string>();
  const numbered = (found: string) => {
    const known = seen.get(found) ?? `00000000-0000-4000-8000-${String(seen.size + 1).padStart(12, '0')}`;
    seen.set(found, known);
    return known;
  };
  const scripted = new Map<string, number>();
  const fromOne = (_: string, index: string) => {
    const known = scripted.get(index) ?? scripted.size + 1;
    scripted.set(index, known);
    return `scripted_${known}`;
  };
  return (line) =>
    line
      .replaceAll(home.workingDir.replaceAll(/[^a-zA-Z0-9]/g, '-'), '-work-dir')
      .replaceAll(home.workingDir, '/work-dir')
      .replaceAll(home.directory, '/work-dir/home')
      .replaceAll(/\/tmp\/claude-\d+/g, '/work-dir/claude')
      .replaceAll(/\/tmp\/cc-socks\/\d+/g, '/run/socket')
      .replaceAll(/"(task_id|run_id)":"[^"]*"/g, '"$1":"task_1"')
      .replaceAll(/\bb[0-9a-z]{8}(?=\.(?:output| Output))/g, 'task_1')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4100')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered)
      .replaceAll(/\bscripted_(\d+)/g, fromOne)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-01T00:00:00.000Z')
      .replaceAll(/"(\w*(?:wall_ms|end_time))":\d+/g, '"$1":1767225600000')
      .replaceAll(
        /"(\w*(?:duration|ttft|time_to_request|first_content_frame|retry_delay)\w*)":[\d.]+/g,
        '"$1":100',
      );
}
