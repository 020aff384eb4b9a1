import { homeDirectory } from '../../config/home-directory.js';
import type { ChatEvent, ErrorCode, ErrorEvent, NoticeEvent, StepEvent } from '../../core/chat-event.js';
import { wrongValue } from '../../core/check-fields.js';
import { failureEvent, TurnoutError } from '../../core/errors.js';
import { flattenBatches } from '../../core/flatten-batches.js';
import { TurnLedger } from '../../core/turn-ledger.js';
import { findExecutable } from '../../process/find-executable.js';
import type { ProcessExit } from '../../process/start-process.js';
import { refuseRequest } from '../launch/check-request.js';
import { checkRun } from '../launch/check-turn.js';
import { childEnvironment } from '../launch/child-environment.js';
import { askedVersion, installedVersion } from '../launch/cli-version.js';
import { completeOptions } from '../launch/complete-options.js';
import { withLastSession } from '../launch/continue-last.js';
import { traceOfProcess } from '../launch/harmless-trace.js';
import { missingServers, readMcpServers } from '../launch/mcp-config.js';
import { plannedScratch, withoutLookingUp } from '../launch/planned.js';
import { scratchDirectory } from '../launch/scratch-files.js';
import { sweepAfterCrash, sweepBeside } from '../launch/sweep-after-crash.js';
import { vettingNotice } from '../launch/vetted.js';
import type { LiveProtocol } from '../live/types.js';
import type { AnyBackendName } from '../names.js';
import type { Advice } from '../output/advice.js';
import type { Ending } from '../output/ending.js';
import { withoutNoise } from '../output/stderr.js';
import { readingFor } from '../record/open-record.js';
import type {
  BackendAdapterConfig,
  BackendCapabilities,
  BackendEventResult,
  CliBackend,
  CompleteTurnOptions,
  ExecuteOptions,
  LocatedCli,
  RunOptions,
  RunRequest,
  SpawnedCommand,
  StreamCallback,
  TraceEntry,
} from '../types.js';
import { findFailure } from './conclude.js';
import { LineDecoder, type TurnFacts, type WireDecoder } from './decoder.js';
import { foldTurn } from './fold-turn.js';
import type { Invocation } from './invocation.js';
import { defaultExitGraceMs, runProcess } from './run-process.js';
import { StreamListener } from './stream-listener.js';
import { type TurnLimits, turnLimits } from './turn-limits.js';
import { withNotices } from './with-notices.js';

/** A request with all defaults filled in. */
export interface Turn extends CompleteTurnOptions, Pick<RunRequest, 'prompt' | 'env' | 'timeoutMs'> {
  readonly rawArgs: readonly string[];
  readonly stream: boolean;
}

/** The fixed facts about a vendor's one-shot mode. */
export interface Vendor {
  readonly name: AnyBackendName;
  /** The vendor's name in the message of a failure. */
  readonly label: string;
  readonly install: string;
  /** The npm package that has the CLI, if one has. */
  readonly npmPackage?: string;
  /** Patterns of stderr lines that say nothing about a failure. */
  readonly noise: readonly RegExp[];
  readonly advice?: Advice;
  /** True if the CLI tells of MCP servers that could not start. */
  readonly tellsMcpFailures?: true;
  /** The option with which a resumed session goes on under a new id. */
  readonly forkFlag?: string;
  /** True if the CLI resumes a session by other words than its id too, and fails if they mean none. */
  readonly resumesByName?: true;
}

/**
 * The base of the four one-shot backends: a turn is described as one value, run as one process, decoded line
 * by line, and concluded from everything that the process printed. A backend adds the description and the
 * decoder.
 */
export abstract class OneShotBackend<S extends TurnFacts> implements CliBackend {
  abstract readonly capabilities: BackendCapabilities;
  protected readonly config: BackendAdapterConfig;
  protected abstract readonly vendor: Vendor;

  constructor(config: BackendAdapterConfig) {
    this.config = config;
  }

  /** Returns the arguments for a plain prompt in the CLI's plain output format. */
  abstract buildArgs(prompt: string, systemPrompt: string, sessionId?: string): string[];
  /** Describes a run, without an effect. Without limits the run is only planned, and the CLI is not even asked its version. */
  protected abstract describe(
    turn: Turn,
    scratch: string,
    cli: LocatedCli,
    limits?: TurnLimits,
  ): Invocation | Promise<Invocation>;
  protected abstract decoderFor(turn?: Turn, cli?: LocatedCli): WireDecoder<S>;

  name(): AnyBackendName {
    return this.vendor.name;
  }

  get signIn(): string | undefined {
    return this.vendor.advice?.signIn;
  }

  async validate(): Promise<boolean> {
    const found = await findExecutable(this.config.cliPath, this.inherited, this.config.workingDir);
    return !('problem' in found);
  }

  async execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
    options: ExecuteOptions = {},
  ): Promise<BackendEventResult> {
    if (onStream !== undefined && typeof onStream !== 'function')
      throw wrongValue('onStream', 'a function', onStream);
    const request = {
      prompt,
      systemPrompt: systemPrompt ?? '',
      sessionId: sessionId || undefined,
      stream: onStream !== undefined,
    };
    const events = this.run(request, options);
    if (onStream === undefined) return foldTurn(events);
    const listener = new StreamListener(onStream, limit(this.config.queryTimeoutMs), options.signal);
    try {
      return await foldTurn(events, listener);
    } finally {
      listener.close();
    }
  }

  parseOutput(stdout: string): BackendEventResult {
    const ledger = new TurnLedger();
    const decoder = new LineDecoder(this.decoderFor());
    const accept = (event: StepEvent) => ledger.accept(event);
    for (const line of stdout.split('\n')) decoder.line(line).forEach(accept);
    decoder.end().forEach(accept);
    const last = this.#conclude(ledger, decoder, { code: 0, signal: null }, '').at(-1);
    const result: BackendEventResult =
      last?.type === 'complete'
        ? { responseText: last.text, isError: false }
        : { responseText: last?.type === 'error' ? (last.detail ?? last.message) : '', isError: true };
    const sessionId = decoder.state.sessionId;
    return sessionId === undefined ? result : { ...result, sessionId };
  }

  async *decode(lines: AsyncIterable<string>): AsyncGenerator<ChatEvent> {
    const ledger = new TurnLedger();
    const decoder = new LineDecoder(this.decoderFor());
    // To yield every word and every unknown line would take three times as long as to read them.
    for await (const line of lines) {
      for (const event of decoder.line(line)) {
        for (const shown of ledger.accept(event)) if (!isWords(shown)) yield shown;
      }
    }
    // The end of the lines is no end of the turn: the CLI may have been killed.
    const hasEnded = decoder.state.ending !== undefined;
    for (const event of decoder.end()) yield* ledger.accept(event);
    if (hasEnded) yield* this.#conclude(ledger, decoder, { code: 0, signal: null }, '');
  }

  run(request: RunRequest, options: RunOptions = {}): AsyncGenerator<ChatEvent> {
    checkRun(request, options);
    const left = new AbortController();
    const signal =
      options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
    return flattenBatches(this.#batches(request, { ...options, signal }), () => left.abort());
  }

  async *#batches(request: RunRequest, options: RunOptions): AsyncGenerator<readonly ChatEvent[]> {
    const refusal = refuseRequest(this.name(), this.capabilities, request);
    if (refusal !== undefined) {
      yield [refusal];
      return;
    }
    const turn = await this.#complete(request);
    if ('type' in turn) {
      yield [turn];
      return;
    }
    // What a killed program has left must not go on in a session that is resumed now.
    if (turn.sessionId !== undefined) await sweepAfterCrash(this.inherited);
    const swept = turn.sessionId === undefined ? sweepBeside(this.inherited) : undefined;
    try {
      for (let again = true; again; ) {
        again = false;
        let begun = false;
        for await (const events of this.#attempt(turn, options)) {
          const last = events.at(-1);
          const onlyFailed = last?.type === 'error' && events.slice(0, -1).every(isNotice);
          if (!begun && onlyFailed && this.learnFrom(last)) {
            again = true;
            break;
          }
          begun = true;
          yield events;
        }
      }
    } finally {
      await swept;
    }
  }

  async *#attempt(turn: Turn, options: RunOptions): AsyncGenerator<readonly ChatEvent[]> {
    const scratch = scratchDirectory(this.inherited, this.config.user);
    const limits = turnLimits(limit(turn.timeoutMs ?? this.config.queryTimeoutMs), options.signal);
    const prepared = await this.#prepare(turn, scratch, limits);
    if ('type' in prepared) {
      yield [prepared];
      return;
    }
    const servers = this.vendor.tellsMcpFailures ? [] : await this.#missingServers(turn);
    const ledger = new TurnLedger();
    if ('protocol' in prepared) {
      const { cli, protocol } = prepared;
      const batches = this.#runLive(turn, options, { cli, protocol, scratch, ledger, limits });
      yield* withNotices(batches, servers, () => [this.versionNotice(cli.version) ?? []].flat());
      return;
    }
    const { cli, invocation } = prepared;
    const { command, env: commandEnv } = cli;
    const { sessionId, rawArgs } = turn;
    const { label, forkFlag, resumesByName } = this.vendor;
    const isFork = forkFlag !== undefined && rawArgs.includes(forkFlag);
    const resumed =
      sessionId === undefined || isFork ? undefined : { id: sessionId, label, byName: resumesByName };
    const decoder = new LineDecoder(this.decoderFor(turn, cli), resumed);
    const added = childEnvironment({}, commandEnv, invocation.env, turn.env);
    const trace = traceOfProcess(options.trace);
    const spawned = { command, args: invocation.args, cwd: turn.cwd, env: added };
    options.onSpawn?.(spawned);
    if (trace !== undefined) trace({ type: 'spawn', ...spawned, env: await withoutSecrets(added) });
    const batches = runProcess({
      command,
      cwd: turn.cwd,
      env: childEnvironment(this.inherited, commandEnv, invocation.env, turn.env),
      invocation,
      scratch,
      user: this.config.user,
      onHostExit: this.config.onHostExit,
      timeoutMs: limits.timeLeftMs(),
      exitGraceMs: this.config.exitGraceMs ?? defaultExitGraceMs,
      signal: options.signal,
      stdoutFile: options.stdoutFile,
      maxOutputBytes: this.config.maxOutputBytes,
      onAnswered: options.onAnswered,
      trace,
      decoder,
      ledger,
      advice: this.vendor.advice,
      stderrReader: (tell) => this.stderrReader(tell),
      conclude: (exit, stderr) => {
        const last = this.#conclude(ledger, decoder, exit, stderr);
        if (last.at(-1)?.type === 'complete' && ledger.sessionId !== undefined)
          this.answered(turn, ledger.sessionId);
        return last;
      },
    });
    yield* withNotices(batches, [...servers, ...(invocation.notices ?? [])], () => {
      const version = decoder.state.version ?? cli.version;
      return version === undefined ? undefined : [this.versionNotice(version) ?? []].flat();
    });
  }

  async plan(request: RunRequest): Promise<SpawnedCommand> {
    const turn = this.#turn(withoutLookingUp(request));
    const cli = await this.locate().catch(() => ({ command: this.config.cliPath }) as LocatedCli);
    const protocol = await this.insteadOfOneShot(turn, cli);
    if (protocol !== undefined) {
      const { planProcess } = await import('./plan-process.js');
      return planProcess(protocol, turn, { cli, env: childEnvironment(this.inherited), added: turn.env });
    }
    const { args, env } = await this.describe(turn, plannedScratch, cli);
    const added = childEnvironment({}, cli.env, env, turn.env);
    return { command: cli.command, args, cwd: turn.cwd, env: await withoutSecrets(added) };
  }

  async *#runLive(
    turn: Turn,
    options: RunOptions,
    run: {
      cli: LocatedCli;
      protocol: LiveProtocol;
      scratch: string;
      ledger: TurnLedger;
      limits: TurnLimits;
    },
  ): AsyncGenerator<readonly ChatEvent[]> {
    const { cli, protocol, scratch, ledger, limits } = run;
    const inherited = childEnvironment(this.inherited);
    const env = childEnvironment(this.inherited, cli.env, turn.env);
    const told = traceOfProcess(options.trace);
    const trace = (entry: TraceEntry) => {
      if (entry.type === 'spawn') options.onSpawn?.(entry);
      told?.(entry);
    };
    const { command, version } = cli;
    const { user, onHostExit } = this.config;
    const { runLive } = await import('./run-live.js');
    yield* runLive({
      protocol,
      options: turn,
      prompt: turn.prompt,
      context: { command, version, env, inherited, scratch, user, onHostExit, trace },
      timeoutMs: limits.timeLeftMs(),
      signal: options.signal,
      ledger,
      label: this.vendor.label,
      advice: this.vendor.advice,
    });
  }

  #missingServers({ mcpConfig, cwd, env }: Turn): Promise<readonly NoticeEvent[]> {
    return missingServers(mcpConfig, { ...this.inherited, ...env }, cwd);
  }

  /** Does what has to be done before the CLI is started for this turn. */
  protected async makeReady(_turn: Turn): Promise<void> {}

  /** Returns the long-lived mode for a version of the CLI whose one-shot mode does not work. */
  protected async insteadOfOneShot(_turn: Turn, _cli: LocatedCli): Promise<LiveProtocol | undefined> {
    return undefined;
  }

  versionNotice(version: string | undefined): NoticeEvent | undefined {
    return vettingNotice(this.vendor, version, this.#home());
  }

  #home(): string | undefined {
    try {
      return this.config.home ?? homeDirectory(this.inherited);
    } catch {
      return undefined;
    }
  }

  /** Returns what the CLI itself says of its version. It is started for that. */
  protected async askedVersion(
    { command, env }: LocatedCli,
    { timeLeftMs, signal }: TurnLimits,
  ): Promise<string | undefined> {
    const { user } = this.config;
    // A CLI that does not answer takes half of the time: the turn goes on as with an unknown version.
    const timeoutMs = Math.min(askMs, timeLeftMs() / 2 || askMs);
    return askedVersion({ command, env: childEnvironment(this.inherited, env), user, timeoutMs, signal });
  }

  /** Called when a turn was completed, so that a backend can remember facts about the session. */
  protected answered(_turn: Turn, _sessionId: string): void {}

  /**
   * Called with a failure before anything began, which may show a limit of this CLI version. `true` runs the
   * turn once more.
   */
  protected learnFrom(_failure: ErrorEvent): boolean {
    return false;
  }

  async locate(): Promise<LocatedCli> {
    const found = await findExecutable(this.config.cliPath, this.inherited, this.config.workingDir);
    if (!('problem' in found)) {
      const version = await installedVersion(found.path, this.vendor.npmPackage);
      return { command: found.path, ...(version === undefined ? {} : { version }) };
    }
    const what = {
      missing: 'was not found',
      not_executable: 'is not executable',
      is_directory: 'is a directory, not a program',
    }[found.problem];
    // The path belongs to AGENT_BACKEND's CLI; a CLI that is looked up by its name may be another one.
    const byName = !/[\\/]/.test(this.config.cliPath);
    const otherwise = byName ? 'put it on the PATH' : 'set BACKEND_CLI_PATH to where it is';
    throw new TurnoutError('not_installed', `The ${this.vendor.label} CLI ${what}: ${found.path}`, {
      hint: `Install it with \`${this.vendor.install}\`, or ${otherwise}.`,
    });
  }

  /** Reads the lines of one run's stderr while it goes on, and tells the retries that the CLI reports only there. */
  protected stderrReader(_tell: (event: StepEvent) => void): (line: string) => void {
    return () => {};
  }

  /** Returns the failure in the CLI's own terms, if its stderr or its exit code shows it. */
  protected vendorFailure(
    _exit: ProcessExit,
    _stderr: string,
    _ending: Ending | undefined,
  ): { readonly message?: string; readonly code?: ErrorCode } | undefined {
    return undefined;
  }

  async #prepare(turn: Turn, scratch: string, limits: TurnLimits) {
    try {
      const cli = await this.locate();
      const protocol = await this.insteadOfOneShot(turn, cli);
      if (protocol !== undefined) return { cli, protocol };
      await this.makeReady(turn);
      return { cli, invocation: await this.describe(turn, scratch, cli, limits) };
    } catch (error) {
      if (error instanceof TurnoutError) return failureEvent(error);
      throw error;
    }
  }

  protected get inherited(): Readonly<Record<string, string | undefined>> {
    return this.config.env ?? process.env;
  }

  /** Looks at the records that the CLI keeps. */
  protected inRecords<T>(look: (env: OneShotBackend<S>['inherited']) => Promise<T>): Promise<T> {
    return readingFor(this.config.user, () => look(this.inherited));
  }

  async #complete(given: RunRequest): Promise<Turn | ErrorEvent> {
    try {
      if (given.mcpConfig !== undefined) await readMcpServers(given.mcpConfig);
      return this.#turn(await withLastSession(this, this.config, given, given.env));
    } catch (error) {
      if (error instanceof TurnoutError) return failureEvent(error);
      throw error;
    }
  }

  #turn(request: RunRequest): Turn {
    return {
      ...request,
      ...completeOptions(request, this.config),
      rawArgs: request.rawArgs ?? [],
      stream: request.stream ?? true,
    };
  }

  #conclude(
    ledger: TurnLedger,
    decoder: LineDecoder<S>,
    exit: ProcessExit,
    stderr: string,
  ): readonly ChatEvent[] {
    const { ending } = decoder.state;
    const failure = findFailure({
      label: this.vendor.label,
      exit,
      stderr: withoutNoise(stderr, this.vendor.noise),
      ending,
      understood: decoder.understood,
      answerIsEmpty: ledger.answerIsEmpty,
      advice: this.vendor.advice,
      vendorFailure: exit.code === 0 ? undefined : this.vendorFailure(exit, stderr, ending),
    });
    if (failure !== undefined) return ledger.fail(failure);
    return ending?.type === 'answered' ? ledger.complete(ending.stopReason, ending.text) : [];
  }
}

/** Few turns are traced: what knows secrets is loaded for those. */
async function withoutSecrets(env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  return (await import('../../config/redact.js')).redactVariables(env);
}

/** The limit for `--version`, which takes a CLI a fraction of a second. */
const askMs = 10_000;

function isNotice({ type }: ChatEvent): boolean {
  return type === 'notice';
}

function isWords({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'thinking' || type === 'notice';
}

/** Only 0 means no limit: NaN or a negative number gives the default. */
function limit(timeoutMs: number): number {
  return timeoutMs >= 0 ? timeoutMs : 600_000;
}
