// `npm run lab -- --record`: what the pinned CLIs really print, into tests/fixtures/recordings, with ids, times, ports
// and paths normalised. The contract suite replays these.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBackend, type VendorName } from '../src/backends/registry.js';
import type { RunRequest, TraceEntry } from '../src/backends/types.js';
import { type LabHome, makeHome } from '../src/lab/home.js';
import type { Script } from '../src/lab/model/script.js';
import { type ScriptedModel, startScriptedModel } from '../src/lab/model/server.js';

const directory = join(dirname(dirname(fileURLToPath(import.meta.url))), 'tests/fixtures/recordings');

/** The output of a real CLI in one scenario against the scripted model. */
export interface Recording {
  readonly cli: VendorName;
  readonly version: string;
  readonly scenario: string;
  readonly format: 'plain' | 'stream';
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  readonly stdout: readonly string[];
  readonly stderr: string;
}

interface Take {
  readonly scenario: string;
  readonly script: Script;
  readonly clis?: readonly VendorName[];
  readonly request?: Partial<RunRequest>;
  /** Goes on with a session made a moment before. */
  readonly resumes?: true;
  readonly sessionId?: (cli: VendorName) => string;
}

const answer: Script = [{ steps: [{ text: ['Hello ', 'from the ', 'scripted model.'] }] }];
const thinking: Script = [
  { steps: [{ thinking: ['Let me ', 'think.'] }, { text: ['The answer ', 'is 42.'] }] },
];
const tool: Script = [
  { steps: [{ text: 'Looking. ' }, { shell: 'echo made by a tool' }] },
  { steps: [{ text: ['The tool ', 'said it.'] }] },
];
const toolFails: Script = [
  { steps: [{ shell: 'echo broken; exit 3' }] },
  { steps: [{ text: 'It failed.' }] },
];
const empty: Script = [{ steps: [{ text: '' }] }];
const unknown = (cli: VendorName) =>
  cli === 'opencode' ? 'ses_1111111111111111111111111' : '11111111-1111-4111-8111-111111111111';
const withPlainFormat: readonly VendorName[] = ['claude', 'gemini'];
const plain = { clis: withPlainFormat, request: { stream: false } };

const takes: readonly Take[] = [
  { scenario: 'answer', script: answer },
  { scenario: 'answer-plain', script: answer, ...plain },
  {
    scenario: 'array-plain',
    script: tool,
    clis: ['claude'],
    request: { stream: false, rawArgs: ['--verbose'] },
  },
  { scenario: 'thinking', script: thinking },
  { scenario: 'tool', script: tool },
  { scenario: 'tool-plain', script: tool, ...plain },
  { scenario: 'tool-fails', script: toolFails },
  { scenario: 'empty', script: empty },
  { scenario: 'empty-plain', script: empty, ...plain },
  { scenario: 'http-400', script: [{ status: 400, message: 'bad request' }] },
  { scenario: 'http-401', script: [{ status: 401, message: 'invalid key' }] },
  { scenario: 'http-401-plain', script: [{ status: 401, message: 'invalid key' }], ...plain },
  { scenario: 'http-429', script: [{ status: 429, message: 'slow down' }], clis: ['claude', 'codex'] },
  { scenario: 'resume', script: answer, resumes: true },
  { scenario: 'resume-plain', script: answer, resumes: true, ...plain },
  { scenario: 'resume-unknown', script: answer, sessionId: unknown },
  { scenario: 'resume-unknown-plain', script: answer, sessionId: unknown, ...plain },
  {
    scenario: 'resume-unknown-name',
    script: answer,
    sessionId: () => 'no-such-name',
    // Codex is ended by Turnout there: that recording was made without it.
    clis: ['claude', 'gemini'],
  },
];

function takesOf(cli: VendorName): readonly Take[] {
  return takes.filter((take) => take.clis === undefined || take.clis.includes(cli));
}

/** Records every take of one CLI into its files. */
export async function record(cli: VendorName, version: string, cliPath: string): Promise<number> {
  let count = 0;
  for await (const recording of playTakes(cli, version, cliPath)) {
    const file = join(directory, cli, `${recording.scenario}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
    count += 1;
  }
  return count;
}

/** The recordings in the repository that `record` has made. */
export function readPinnedRecordings(cli: VendorName): readonly Recording[] {
  return takesOf(cli)
    .map(({ scenario }) => join(directory, cli, `${scenario}.json`))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
}

/** Plays every take with one CLI. */
export async function* playTakes(
  cli: VendorName,
  version: string,
  cliPath: string,
): AsyncGenerator<Recording> {
  const model = await startScriptedModel();
  const home = await makeHome(cli, model.url);
  try {
    await play(cli, cliPath, home, model, { scenario: 'warm-up', script: answer });
    for (const take of takesOf(cli)) {
      const fix = normaliser(home, dirname(dirname(dirname(cliPath))));
      const { exit, stdout, stderr } = await play(cli, cliPath, home, model, take);
      yield {
        cli,
        version,
        scenario: take.scenario,
        format: take.request?.stream === false ? 'plain' : 'stream',
        exit,
        stdout: stdout.map(fix),
        stderr: fix(stderr),
      };
    }
  } finally {
    await model.close();
    await home.remove();
  }
}

/** The request that a recording answers, so that it can be replayed. */
export function requestOf({ cli, scenario, format, stdout }: Recording): RunRequest {
  const take = takes.find((candidate) => candidate.scenario === scenario);
  const printed = /"(?:session_id|thread_id|sessionID|sessionId)":\s*"([^"]+)"/.exec(stdout.join('\n'))?.[1];
  const sessionId = take?.resumes ? printed : take?.sessionId?.(cli);
  return { prompt: 'Say hello.', systemPrompt: 'Be brief.', sessionId, stream: format === 'stream' };
}

async function play(cli: VendorName, cliPath: string, home: LabHome, model: ScriptedModel, take: Take) {
  const env = {
    ...home.env,
    CLAUDE_CODE_MAX_RETRIES: '0',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    TMPDIR: home.directory,
  };
  const backend = createBackend(cli, {
    cliPath,
    workingDir: home.workingDir,
    queryTimeoutMs: 90_000,
    allowedTools: [],
    maxTurns: 25,
    model: home.model,
    env,
  });
  const request = { prompt: 'Say hello.', systemPrompt: 'Be brief.', ...take.request };
  let sessionId = take.sessionId?.(cli);
  if (take.resumes) {
    model.use(answer);
    for await (const event of backend.run(request)) if (event.type === 'session') sessionId = event.sessionId;
  }
  model.use(take.script);
  const trace: TraceEntry[] = [];
  for await (const _ of backend.run({ ...request, sessionId }, { trace: (entry) => trace.push(entry) }));
  const exit = trace.find((entry) => entry.type === 'exit');
  if (exit?.type !== 'exit') throw new Error(`${cli}, ${take.scenario}: the CLI did not run`);
  return {
    exit: { code: exit.code, signal: exit.signal },
    stdout: trace.flatMap((entry) => (entry.type === 'line' && entry.direction === 'in' ? [entry.line] : [])),
    stderr: exit.stderr,
  };
}

/** The same CLI gives the same recording, and nothing of the machine that it was made on is in it. */
function normaliser(home: LabHome, installation: string): (text: string) => string {
  const numbered = new Map<string, number>();
  const count = (kind: string, id: string) => {
    const key = `${kind} ${id}`;
    const known =
      numbered.get(key) ?? [...numbered.keys()].filter((other) => other.startsWith(`${kind} `)).length + 1;
    numbered.set(key, known);
    return known;
  };
  const slug = home.workingDir.replaceAll(/[^a-zA-Z0-9]/g, '-');
  const rules: readonly (readonly [RegExp | string, string | ((...found: string[]) => string)])[] = [
    [slug, '-work-dir'],
    [home.workingDir, '/work-dir'],
    [home.directory, '/work-dir/home'],
    [installation, ''],
    [/\/tmp\/cc-socks\/\d+/g, '/run/socket'],
    [/temporary dir "[^"]*"/g, 'temporary dir "/work-dir"'],
    [/127\.0\.0\.1:\d+/g, '127.0.0.1:4100'],
    [
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      (id = '') =>
        id === unknown('claude')
          ? id
          : `00000000-0000-4000-8000-${String(count('uuid', id)).padStart(12, '0')}`,
    ],
    [
      /\b(ses|msg|prt)_(?!scripted|1111)[0-9a-zA-Z]{20,}/g,
      (id = '', kind = '') => `${kind}_${String(count(kind, id)).padStart(26, '0')}`,
    ],
    [/\bscripted_(\d+)/g, (_, index = '') => `scripted_${count('scripted', index)}`],
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-01T00:00:00.000Z'],
    [/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z/g, '2026-01-01T00-00-00-000Z'],
    [/"(timestamp|start|end)":\d{13}/g, '"$1":1767225600000'],
    [/(\bdate"?: ?['"])[^'"]*GMT/g, '$1Thu, 01 Jan 2026 00:00:00 GMT'],
    [/"(\w*(?:duration|ttft|latency|time_to_request|first_content_frame)\w*)": ?\d+/gi, '"$1":100'],
    [/\b[0-9a-f]{40}\b/g, '0'.repeat(40)],
  ];
  return (text) =>
    rules.reduce(
      (done, [from, to]) => (typeof to === 'string' ? done.replaceAll(from, to) : done.replaceAll(from, to)),
      text,
    );
}
