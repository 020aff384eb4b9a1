import { resolve } from 'node:path';
import { type ChatEvent, type ErrorEvent, errorEvent, timeoutMessage } from '../../core/chat-event.js';
import { abortEvent, failureEvent, TurnoutError } from '../../core/errors.js';
import { flattenBatches } from '../../core/flatten-batches.js';
import { TurnLedger } from '../../core/turn-ledger.js';
import { refuseRequest } from '../launch/check-request.js';
import { withLastSession } from '../launch/continue-last.js';
import { classifyFailure } from '../output/classify-failure.js';
import type { BackendAdapter, BackendCapabilities, EventBackend, RunOptions, RunRequest } from '../types.js';
import { parseFailure } from './conclude.js';
import { Execution, type Unsettled } from './execution.js';

/** The settings that an adapter was made with: `execute` can't be told others. */
export interface MadeWith {
  readonly cwd: string;
  readonly model?: string | undefined;
}

/**
 * Returns the adapter with its turns as events. If it has only R1's `name`, `validate` and `execute`, a turn is an
 * `execute`: its text comes as `onStream` gives it, its end is the result. A turn that is stopped, or whose time is up,
 * ends at once; the next one of its session waits until the `execute` behind it has settled, which may ignore the signal.
 */
export function withEvents(adapter: BackendAdapter, made: MadeWith): EventBackend {
  const { capabilities, run } = adapter;
  if (capabilities !== undefined && run !== undefined) return adapter as EventBackend;
  const can = capabilities ?? nothing;
  const backend: EventBackend = {
    name: () => adapter.name(),
    validate: () => adapter.validate(),
    execute: (...given) => adapter.execute(...given),
    capabilities: run === undefined ? { ...can, asMade: true } : can,
    run: (request, options) =>
      run === undefined ? runExecute(adapter, made, request, options) : run.call(adapter, request, options),
  };
  // No event of such a turn is a tool's.
  const reason = `${adapter.name()} does not tell which tools it runs`;
  if (run === undefined) backend.recordedTools = async () => ({ type: 'untold', reason });
  for (const name of Object.keys(optional) as (keyof typeof optional)[]) {
    const member = adapter[name];
    if (member === undefined) continue;
    Object.assign(backend, { [name]: typeof member === 'function' ? member.bind(adapter) : member });
  }
  return backend;
}

type OptionalMember = Exclude<keyof BackendAdapter, 'name' | 'validate' | 'execute' | 'capabilities' | 'run'>;

/** A record, so that the compiler finds one that is missing. */
const optional: Readonly<Record<OptionalMember, true>> = {
  hasEffects: true,
  locate: true,
  plan: true,
  live: true,
  interactive: true,
  versionNotice: true,
  decode: true,
  lastSession: true,
  recordState: true,
  listSessions: true,
  lastExchange: true,
  startNotice: true,
  credentials: true,
  signIn: true,
  readingTools: true,
  recordedTools: true,
};

const nothing: BackendCapabilities = {
  textDeltas: false,
  thinking: false,
  maxTurns: false,
  allowedTools: false,
  disallowedTools: false,
  mcpConfig: false,
  permissionModes: ['bypass'],
};

/** What to do in place of asking one turn for it. */
export const asMadeHint = 'Give model, workingDir and env where it is made: createBackend, createRunner.';

function refuseOther(adapter: BackendAdapter, made: MadeWith, request: RunRequest): ErrorEvent | undefined {
  const { cwd, model, env = {}, rawArgs = [] } = request;
  const other =
    (cwd !== undefined && resolve(cwd) !== resolve(made.cwd) && `the directory ${cwd}`) ||
    (model !== undefined && model !== made.model && `the model ${model}`) ||
    (Object.keys(env).length > 0 && 'variables for one turn (env)') ||
    (rawArgs.length > 0 && 'extra arguments (rawArgs)');
  if (!other) return undefined;
  return errorEvent(
    'unsupported',
    `${adapter.name()} does not support ${other}: it runs turns as it was made. ${asMadeHint}`,
  );
}

function runExecute(
  adapter: BackendAdapter,
  made: MadeWith,
  request: RunRequest,
  { signal, conversation }: RunOptions = {},
): AsyncGenerator<ChatEvent> {
  const left = new AbortController();
  const stopped = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
  return flattenBatches(batches(adapter, made, request, stopped, conversation), () => left.abort());
}

async function* batches(
  adapter: BackendAdapter,
  made: MadeWith,
  given: RunRequest,
  stopped: AbortSignal,
  conversation: string | undefined,
): AsyncGenerator<readonly ChatEvent[]> {
  const request = await checked(adapter, made, given);
  if ('type' in request) return yield [request];
  if (stopped.aborted) return yield [abortEvent(stopped)];
  const ledger = new TurnLedger();
  const turn = new Execution(adapter.name(), request.timeoutMs ?? 0, stopped);
  const { prompt, systemPrompt = '', sessionId: resumed, stream } = request;
  const onStream = stream === false ? undefined : (text: string) => turn.say(text);
  const execute = async () => adapter.execute(prompt, systemPrompt, resumed, onStream, { signal: stopped });
  void turn.follow(unsettledOf(adapter), [conversation, resumed], execute);
  let said = false;
  try {
    for (;;) {
      const step = await turn.next();
      if (step.type === 'text') {
        said ||= step.text !== '';
        yield ledger.accept(step);
        continue;
      }
      if (step.type === 'error') return yield ledger.fail(step);
      const { responseText = '', sessionId, isError } = step.result;
      const last: ChatEvent[] = [];
      if (sessionId) last.push(...ledger.accept({ type: 'session', sessionId, backend: adapter.name() }));
      if (isError) return yield [...last, ...ledger.fail(failureOf(responseText))];
      if (!said) last.push(...ledger.accept({ type: 'text', text: responseText }));
      return yield [...last, ...ledger.complete('end_turn', responseText)];
    }
  } finally {
    turn.leave();
  }
}

/** Returns the request with the session that `continueLast` stands for, or the reason why it can't run. */
async function checked(
  adapter: BackendAdapter,
  made: MadeWith,
  given: RunRequest,
): Promise<RunRequest | ErrorEvent> {
  const refused =
    refuseRequest(adapter.name(), adapter.capabilities ?? nothing, given) ??
    refuseOther(adapter, made, given);
  if (refused !== undefined) return refused;
  try {
    return await withLastSession(adapter, { workingDir: made.cwd }, given);
  } catch (error) {
    if (error instanceof TurnoutError) return failureEvent(error);
    throw error;
  }
}

/** The executes of each adapter that have not settled: a session wraps its adapter for itself. */
const unsettled = new WeakMap<BackendAdapter, Unsettled>();

function unsettledOf(adapter: BackendAdapter): Unsettled {
  const known = unsettled.get(adapter) ?? new Map();
  unsettled.set(adapter, known);
  return known;
}

/** The words of a result are all that is known of a failure. */
function failureOf(message: string): ErrorEvent {
  if (message === timeoutMessage) return errorEvent('timeout', message);
  if (message === parseFailure) return errorEvent('parse', message);
  const code = classifyFailure(message);
  // R8.2: an exit without a reason that is known is a crash.
  const crashed = code === 'unknown' && / CLI error \((exit|signal) /.test(message);
  return errorEvent(crashed ? 'crashed' : code, message.trimEnd() || 'unknown error');
}
