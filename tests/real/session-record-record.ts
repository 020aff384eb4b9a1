// `node --import tsx tests/real/session-record-record.ts` records the records that the pinned CLIs keep of their sessions
// into tests/fixtures/recordings/<vendor>/session-record.ndjson: a conversation with a plain answer, a tool, a denied tool,
// an allowed one, and a question that is not answered. What the vendors tell their models is left out; ids and paths are
// normalised, and the times are one second apart.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installCli } from '../../scripts/install-cli.js';
import { selectRows } from '../../src/backends/opencode/session-directory.js';
import { partsOfSession } from '../../src/backends/opencode/session-record.js';
import { createBackend, type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { Sessions } from '../../src/sessions/sessions.js';
import type { BackendSession } from '../../src/sessions/types.js';

const recordings = join(import.meta.dirname, '../fixtures/recordings');

const isRecord = {
  claude: (path: string, id: string) => path.endsWith(`${id}.jsonl`),
  codex: (path: string, id: string) => path.endsWith(`-${id}.jsonl`),
  // It was resumed, so it has the other name.
  gemini: (path: string, _id: string) => /chats\/session-.*-[g-v]{8}\.jsonl$/.test(path),
};

const isOurs = {
  claude: ({ type }: { type: string }) => ['user', 'assistant', 'queue-operation'].includes(type),
  codex: ({ type, payload }: { type: string; payload: { type: string; role?: string } }) =>
    (type === 'response_item' && payload.type !== 'additional_tools' && payload.role !== 'developer') ||
    (type === 'event_msg' && payload.type === 'item_completed'),
  gemini: () => true,
};

for (const name of vendorNames) {
  const model = await startScriptedModel();
  const home = await makeHome(name, model.url);
  const sessions = new Sessions();
  try {
    const lines = await converse(name, home, model, sessions);
    writeFileSync(join(recordings, name, 'session-record.ndjson'), `${normalise(lines, home).join('\n')}\n`);
  } finally {
    await sessions.close();
    await model.close();
    await home.remove();
  }
}

async function converse(
  backend: VendorName,
  home: LabHome,
  model: ScriptedModel,
  sessions: Sessions,
): Promise<readonly string[]> {
  const limits = { queryTimeoutMs: 60_000, allowedTools: [], maxTurns: 25 };
  const places = {
    cliPath: installCli(backend),
    workingDir: home.workingDir,
    env: home.env,
    model: home.model,
  };
  const config = { ...places, ...limits };
  const adapter = createBackend(backend, config);
  const open = (permissionMode: 'bypass' | 'ask', sessionId?: string) =>
    sessions.open({ backend, config, adapter, live: true, permissionMode, sessionId, cwd: home.workingDir });
  const first = await open('bypass');
  model.use(['First.']);
  await turn(first, 'first question');
  model.use([{ steps: [{ text: 'Looking. ' }, { shell: 'touch made' }] }, 'Done.']);
  await turn(first, 'make it');
  const sessionId = first.sessionId ?? '';
  await first.close();
  const second = await open('ask', sessionId);
  model.use([{ steps: [{ shell: 'touch denied' }] }, 'A pity.']);
  await turn(second, 'deny it', 'deny');
  model.use([{ steps: [{ writeFile: { path: join(home.workingDir, 'w.txt'), content: 'x' } }] }, 'Written.']);
  await turn(second, 'write it', 'allow');
  model.use([{ steps: [{ shell: 'touch asked' }] }]);
  for await (const event of second.send('ask me')) {
    // The records are read while the question waits: the end of the session would answer it.
    if (event.type === 'permission_request') return await recordOf(backend, home, sessionId);
  }
  throw new Error(`${backend} did not ask.`);
}

async function turn(session: BackendSession, prompt: string, decision?: 'allow' | 'deny'): Promise<void> {
  for await (const event of session.send(prompt)) {
    if (event.type === 'permission_request' && decision !== undefined)
      await session.answerPermission(event.id, decision, 'not now');
  }
}

async function recordOf(name: VendorName, home: LabHome, sessionId: string): Promise<readonly string[]> {
  if (name === 'opencode') {
    const rows = await selectRows(home.env, partsOfSession, sessionId, 0, 1000);
    return [...rows].reverse().map((row) => JSON.stringify(row));
  }
  const below = readdirSync(home.directory, { recursive: true, encoding: 'utf8' });
  const file = below.find((path) => isRecord[name](path, sessionId));
  if (file === undefined) throw new Error(`${name} has no record of ${sessionId}.`);
  const lines = readFileSync(join(home.directory, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && isOurs[name](JSON.parse(line)));
}

function normalise(lines: readonly string[], home: LabHome): readonly string[] {
  const ids = new Map<string, string>();
  const numbered = (id: string) => {
    const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  return lines.map((line, index) => {
    const at = Date.UTC(2026, 0, 1) + index * 1000;
    return line
      .replaceAll(home.workingDir, '/work-dir')
      .replaceAll(home.directory, '/work-dir/home')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered)
      .replaceAll(/<session_context>.*?<\/session_context>/g, '<session_context></session_context>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, new Date(at).toISOString())
      .replace(/"at":\d+/, `"at":${at}`)
      .replaceAll(/"(\w+_at_ms|create_time)":[\d.]+/g, '"$1":0');
  });
}
