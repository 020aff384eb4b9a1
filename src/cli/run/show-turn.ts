import type { RunOptions } from '../../backends/types.js';
import { createLog, type LogLevel } from '../../config/log.js';
import type {
  ChatEvent,
  CompleteEvent,
  PermissionRequestEvent,
  SessionEvent,
  Usage,
} from '../../core/chat-event.js';
import { exitCodeFor, exitCodes } from '../../core/exit-codes.js';
import { printJson } from '../../core/json.js';
import { shownId } from '../../core/text.js';
import type { CompleteSessionOptions } from '../../sessions/types.js';
import { onEndingSignal } from '../command/ending-signals.js';
import { Terminal } from '../output/terminal.js';
import { KeptTurn } from './kept-turn.js';
import { OpenQuestions } from './open-questions.js';
import { type TurnResult, withClaudeNames } from './result-object.js';
import type { OutputFormat } from './run-options.js';

export interface ShowOptions {
  readonly output: OutputFormat;
  readonly verbose: boolean;
  /** What becomes of the answer in a JSON object. Default: nothing. */
  readonly answer?: ((text: string) => string) | undefined;
  readonly logLevel: LogLevel;
  /** The command that goes on with the session. With it the session is kept in the index, and text ends with a line about it. */
  readonly again?: string | undefined;
}

/** The options that `showTurn` passes to the turn that it starts. */
export type TurnHooks = Pick<RunOptions, 'signal' | 'trace'>;

/** A turn that `showTurn` can start. */
export interface ShownTurn {
  readonly prompt: string;
  readonly options: CompleteSessionOptions;
  run(hooks: TurnHooks): AsyncIterable<ChatEvent>;
  onPermission(request: PermissionRequestEvent, terminal: Terminal, withdrawn: AbortSignal): Promise<void>;
}

/** Runs one turn and shows it in the asked format. Returns the exit code for how it ended. */
export async function showTurn(turn: ShownTurn, options: ShowOptions): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  const stop = interruptible(terminal);
  const show = views[options.output](turn.options, terminal, options);
  const questions = new OpenQuestions((request, withdrawn) =>
    turn.onPermission(request, terminal, withdrawn),
  );
  const { config, backend, cwd = config.workingDir } = turn.options;
  // What an agent runs is no session of a person's.
  const isPersons = options.again !== undefined && process.env['TURNOUT_OWNER'] === undefined;
  const kept = new KeptTurn({
    home: isPersons ? config.home : undefined,
    backend,
    cwd,
    prompt: turn.prompt,
  });
  let exitCode: number = exitCodes.failed;
  try {
    const events = turn.run({
      signal: stop.signal,
      trace: await traceOf(turn, options, terminal),
    });
    if (options.output === 'text') terminal.waitFor(turn.options.backend);
    for await (const event of events) {
      const asks = event.type === 'permission_request';
      if (asks) terminal.stopWaiting();
      else await questions.see(event);
      kept.see(event);
      if (options.verbose && event.type === 'session') terminal.say(describeSession(event));
      if (terminal.writable) await show(event);
      // The line of what was said ends before the question begins.
      if (asks) await questions.see(event);
      if (event.type === 'complete') exitCode = exitCodes.done;
      if (event.type === 'error') exitCode = exitCodeFor(event.code);
    }
    await terminal.flush();
  } finally {
    terminal.stopWaiting();
    await questions.withdrawAll('the turn is over');
    stop.release();
  }
  if (terminal.writeError !== undefined) {
    terminal.say(`stdout can't be written: ${terminal.writeError}`);
    return exitCodes.failed;
  }
  if (options.output === 'text') await tellTurn(kept, terminal, options.again);
  return terminal.readerGone ? exitCodes.done : exitCode;
}

async function tellTurn(kept: KeptTurn, terminal: Terminal, again: string | undefined): Promise<void> {
  const { columns } = terminal;
  if (columns === undefined || again === undefined || kept.told === undefined) return;
  const { turnFooter } = await import('./turn-footer.js');
  for (const row of turnFooter({ ...kept.told, again }, columns)) terminal.aside(row);
}

/** Most turns have no trace, and don't load what finds the secrets in one. */
async function traceOf({ prompt, options: session }: ShownTurn, options: ShowOptions, terminal: Terminal) {
  if (!options.verbose && options.logLevel !== 'debug') return undefined;
  const { turnTrace } = await import('./turn-trace.js');
  return turnTrace(prompt, session, {
    ...options,
    say: (line) => terminal.say(line),
    log: createLog(options.logLevel, (line) => terminal.log(line)),
  });
}

type View = (event: ChatEvent) => void | Promise<void>;

type Session = Pick<CompleteSessionOptions, 'backend' | 'cwd' | 'config'>;

const views: Record<OutputFormat, (session: Session, terminal: Terminal, options: ShowOptions) => View> = {
  text: textView,
  json: ({ backend }, terminal, options) => jsonView(backend, terminal, options, (result) => result),
  'claude-json': ({ backend }, terminal, options) => jsonView(backend, terminal, options, withClaudeNames),
  'stream-json': (_session, terminal) => (event) => terminal.write(`${printJson(event)}\n`),
};

/** Prints the answer as it arrives on stdout, and the agent's other activity on stderr. */
function textView(session: Session, terminal: Terminal, { verbose }: ShowOptions): View {
  const showTools = toolView(session, terminal);
  let lastCharacter = '';
  const endLine = async () => {
    if (lastCharacter !== '' && lastCharacter !== '\n') await terminal.write('\n');
    lastCharacter = '';
  };
  return async (event) => {
    switch (event.type) {
      case 'text':
        lastCharacter = event.text.at(-1) ?? lastCharacter;
        await terminal.write(event.text);
        break;
      case 'tool_start':
      case 'tool_end':
      case 'permission_request':
      case 'permission_resolved':
        // A tool may end in the middle of a word: the answer in a file has no break there.
        if (event.type === 'tool_start' || terminal.isOneScreen) await endLine();
        await showTools(event);
        break;
      case 'notice':
        if (event.level === 'warning' || verbose) terminal.say(event.message);
        break;
      case 'complete':
      case 'error':
        await endLine();
        await showTools(event);
        if (event.type === 'error') terminal.say(event.message.trimEnd());
        if (event.type === 'error' && event.code === 'session_not_found') terminal.say(whereSessionsAre);
        break;
    }
  };
}

/** Shows the tools of a turn on stderr if that is a terminal. A turn without tools loads nothing for it. */
function toolView({ backend, cwd, config }: Session, terminal: Terminal): View {
  let tools: import('./tool-rows.js').ToolRows | undefined;
  return async (event) => {
    const { columns } = terminal;
    const isEnd = event.type === 'complete' || event.type === 'error';
    if (columns === undefined || (isEnd && tools === undefined)) return;
    tools ??= new (await import('./tool-rows.js')).ToolRows(cwd ?? config.workingDir);
    for (const { text, failed } of tools.see(event, columns - 1))
      terminal.aside(text, failed ? 'red' : 'dim');
    if (!isEnd && !tools.isAsking) terminal.waitFor(tools.running ?? backend);
  };
}

/** Prints one object at the end, also on failure; warnings go to stderr. */
function jsonView(
  backend: string,
  terminal: Terminal,
  { verbose, answer = (text) => text }: ShowOptions,
  named: typeof withClaudeNames,
): View {
  const begun = performance.now();
  let sessionId: string | undefined;
  let usage: Usage | undefined;
  const print = (
    ending: Pick<TurnResult, 'responseText' | 'isError' | 'error'>,
    stopReason?: CompleteEvent['stopReason'],
  ) => {
    const { responseText, isError, error } = ending;
    const result = { responseText, sessionId, isError, error, usage, backend };
    const durationMs = performance.now() - begun;
    return terminal.write(`${JSON.stringify(named(result, { durationMs, stopReason }))}\n`);
  };
  return async (event) => {
    switch (event.type) {
      case 'session':
        sessionId = event.sessionId;
        break;
      case 'usage': {
        const { type: _, ...counts } = event;
        usage = counts;
        break;
      }
      case 'notice':
        if (event.level === 'warning' || verbose) terminal.say(event.message);
        break;
      case 'complete':
        await print({ responseText: answer(event.text), isError: false }, event.stopReason);
        break;
      case 'error': {
        const { code, message, retryAfterMs } = event;
        const when = retryAfterMs === undefined ? {} : { retryAfterMs };
        await print({ responseText: message, isError: true, error: { code, message, ...when } });
        break;
      }
    }
  };
}

const whereSessionsAre = '`turnout sessions --all` lists the sessions that there are.';

function describeSession({ sessionId, model, keySource }: SessionEvent): string {
  const facts = [`session ${shownId(sessionId)}`, ...(model === undefined ? [] : [`model ${model}`])];
  return [...facts, ...(keySource === undefined ? [] : [`key or account: ${keySource}`])].join(' · ');
}

/**
 * Ctrl-C, another signal that ends programs, or a reader that goes away ends the turn and all that it started; a second signal exits
 * at once.
 */
function interruptible(terminal: Terminal): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onSignal = () => {
    terminal.stopWaiting();
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  terminal.onUnwritable(() => controller.abort());
  return { signal: controller.signal, release: onEndingSignal(onSignal) };
}
