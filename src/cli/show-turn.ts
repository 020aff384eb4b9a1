import type { BackendAdapter, RunRequest } from '../backends/types.js';
import type { ChatEvent, ErrorEvent, Usage } from '../core/chat-event.js';
import { describeCommand, redactWords } from './describe-command.js';
import { exitCodeFor, exitCodes } from './exit-codes.js';
import type { OutputFormat } from './run-options.js';
import { Terminal } from './terminal.js';

export interface ShowOptions {
  readonly output: OutputFormat;
  readonly verbose: boolean;
}

/** Runs one turn and shows it in the asked form. The exit code says how it ended. */
export async function showTurn(
  backend: BackendAdapter,
  request: RunRequest,
  options: ShowOptions,
): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  const stop = interruptible(terminal);
  const show = views[options.output](backend.name(), terminal, options.verbose);
  if (options.verbose) terminal.say(describeRequest(backend.name(), request));
  let exitCode: number = exitCodes.failed;
  try {
    const run = backend.run(request, {
      signal: stop.signal,
      onSpawn: options.verbose ? (command) => terminal.say(describeCommand(command)) : undefined,
    });
    for await (const event of run) {
      if (!terminal.readerGone) await show(event);
      if (event.type === 'complete') exitCode = exitCodes.done;
      if (event.type === 'error') exitCode = exitCodeFor(event.code);
    }
  } finally {
    stop.release();
  }
  // The reader went away (`| head`): what it wanted was delivered.
  return terminal.readerGone ? exitCodes.done : exitCode;
}

type View = (event: ChatEvent) => void | Promise<void>;

const views: Record<OutputFormat, (backend: string, terminal: Terminal, verbose: boolean) => View> = {
  text: textView,
  json: jsonView,
  'stream-json': (_backend, terminal) => (event) => terminal.write(`${JSON.stringify(event)}\n`),
};

/** The answer as it comes; what the agent does between its words goes to stderr. */
function textView(_backend: string, terminal: Terminal, verbose: boolean): View {
  let lastCharacter = '';
  let toolSince = false;
  return async (event) => {
    switch (event.type) {
      case 'text': {
        const apart = toolSince && lastCharacter !== '' && lastCharacter !== '\n' ? '\n' : '';
        toolSince = false;
        lastCharacter = event.text.at(-1) ?? lastCharacter;
        await terminal.write(apart + event.text);
        break;
      }
      case 'tool_start':
        toolSince = true;
        terminal.hint(`[${event.name}] ${JSON.stringify(event.input)}`);
        break;
      case 'notice':
        if (event.level === 'warning' || verbose) terminal.say(event.message);
        break;
      case 'complete':
      case 'error':
        if (lastCharacter !== '' && lastCharacter !== '\n') await terminal.write('\n');
        if (event.type === 'error') terminal.say(event.message.trimEnd());
        break;
    }
  };
}

/** One object at the end, on failure too. */
function jsonView(backend: string, terminal: Terminal): View {
  let sessionId: string | undefined;
  let usage: Usage | undefined;
  const print = (ending: {
    responseText: string;
    isError: boolean;
    error?: Pick<ErrorEvent, 'code' | 'message'>;
  }) =>
    terminal.write(
      `${JSON.stringify({ responseText: ending.responseText, sessionId, isError: ending.isError, error: ending.error, usage, backend })}\n`,
    );
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
      case 'complete':
        await print({ responseText: event.text, isError: false });
        break;
      case 'error': {
        const { code, message } = event;
        await print({ responseText: message, isError: true, error: { code, message } });
        break;
      }
    }
  };
}

function describeRequest(backend: string, request: RunRequest): string {
  const { prompt, systemPrompt, env: _, ...rest } = request;
  const sizes = `prompt ${prompt.length} characters, system prompt ${systemPrompt?.length ?? 0}`;
  const options = { ...rest, rawArgs: redactWords(request.rawArgs ?? []) };
  return `backend ${backend} · ${sizes} · options ${JSON.stringify(options)}`;
}

/** Ctrl-C, a SIGTERM or a reader that goes away ends the turn and all that it started; a second one does not wait. */
function interruptible(terminal: Terminal): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  terminal.onReaderGone(() => controller.abort());
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}
