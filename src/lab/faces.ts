import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createBackend, type VendorName } from '../backends/registry.js';
import type { RunRequest } from '../backends/types.js';
import { type ChatEvent, type ErrorCode, errorEvent, type Usage } from '../core/chat-event.js';
import type { LabHome } from './home.js';
import { type Outcome, outcomeOf } from './outcome.js';

/** The ways into Turnout through which a scenario runs. */
export const faceNames = ['library', 'command'] as const;
export type FaceName = (typeof faceNames)[number];

export interface FaceOptions {
  readonly cli: VendorName;
  readonly cliPath: string;
  readonly home: LabHome;
  /** The command that starts `turnout`: a program and its first arguments. */
  readonly turnout: readonly string[];
}

export interface Face {
  readonly name: FaceName;
  turn(request: LabRequest): Promise<Outcome>;
}

export interface LabRequest extends RunRequest {
  /** Called with each event as it arrives. */
  readonly onEvent?: (event: ChatEvent) => void;
}

const hardLimitMs = 120_000;

/** Runs a turn with `createBackend(…).run(…)`, as a program would. */
export function libraryFace({ cli, cliPath, home }: FaceOptions): Face {
  const backend = createBackend(cli, {
    cliPath,
    workingDir: home.workingDir,
    queryTimeoutMs: hardLimitMs,
    allowedTools: [],
    maxTurns: 25,
    model: home.model,
    env: home.env,
  });
  return {
    name: 'library',
    async turn({ onEvent, ...request }) {
      const start = performance.now();
      const events: ChatEvent[] = [];
      for await (const event of backend.run(request)) {
        events.push(event);
        onEvent?.(event);
      }
      return outcomeOf(events, performance.now() - start);
    },
  };
}

/** Runs a turn with `turnout run --output stream-json`, as a script would. */
export function commandFace({ cli, cliPath, home, turnout }: FaceOptions): Face {
  const [program = process.execPath, ...before] = turnout;
  return {
    name: 'command',
    async turn(request) {
      const start = performance.now();
      const { args, stdin } = commandLine(cli, request, home);
      const child = spawn(program, [...before, 'run', ...args], {
        cwd: home.workingDir,
        env: { ...home.env, AGENT_BACKEND: cli, BACKEND_CLI_PATH: cliPath },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end(stdin);
      const events: ChatEvent[] = [];
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-10_000);
      });
      const closed = once(child, 'close');
      for await (const line of readObjects(child.stdout)) {
        for (const event of request.stream === false ? eventsOf(line as PlainResult) : [line as ChatEvent]) {
          events.push(event);
          request.onEvent?.(event);
        }
      }
      const [code] = await closed;
      const last = events.at(-1)?.type;
      if (last !== 'complete' && last !== 'error') {
        throw new Error(`turnout run ended (exit ${code}) without a last event. stderr: ${stderr.trim()}`);
      }
      return outcomeOf(events, performance.now() - start, Number(code));
    },
  };
}

/** The object that `--output json` prints. */
interface PlainResult {
  readonly responseText: string;
  readonly sessionId?: string;
  readonly isError: boolean;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  readonly usage?: Usage;
  readonly backend: string;
}

function eventsOf({
  responseText,
  sessionId = '',
  error,
  usage,
  backend,
}: PlainResult): readonly ChatEvent[] {
  return [
    { type: 'session', sessionId, backend },
    ...(usage === undefined ? [] : [{ type: 'usage', ...usage } as const]),
    error === undefined
      ? { type: 'complete', text: responseText, sessionId, stopReason: 'end_turn' }
      : errorEvent(error.code, error.message),
  ];
}

async function* readObjects(stdout: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let rest: Buffer[] = [];
  for await (const chunk of stdout) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8');
      rest = [];
      from = at + 1;
      yield JSON.parse(line);
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
}

/** Passes a prompt that fits as an argument, and a longer one through stdin, as a person would. */
function commandLine(cli: VendorName, request: LabRequest, home: LabHome): { args: string[]; stdin: string } {
  const throughStdin = request.prompt.includes('\0') || Buffer.byteLength(request.prompt) > 100_000;
  const options: Record<string, string | number | undefined> = {
    backend: cli,
    output: request.stream === false ? 'json' : 'stream-json',
    prompt: throughStdin || request.prompt === '' ? undefined : request.prompt,
    model: request.model ?? home.model,
    thinking: request.thinking,
    'system-prompt': request.systemPrompt,
    resume: request.sessionId,
    cwd: request.cwd,
    'max-turns': request.maxTurns,
    'permission-mode': request.permissionMode,
    'mcp-config': request.mcpConfig,
    'allowed-tools': request.allowedTools?.join(','),
    'disallowed-tools': request.disallowedTools?.join(','),
    timeout: (request.timeoutMs ?? hardLimitMs) / 1000,
  };
  const args = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  if (request.continueLast) args.push('--continue');
  return { args, stdin: throughStdin ? request.prompt : '' };
}
