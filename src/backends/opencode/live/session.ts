import type { ChatEvent } from '../../../core/chat-event.js';
import { TurnoutError } from '../../../core/errors.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import { within } from '../../../core/wait.js';
import type { TurnStream } from '../../live/turn-stream.js';
import type {
  LiveEvent,
  LiveSession,
  LiveSessionOptions,
  PermissionAnswer,
  TurnEnding,
} from '../../live/types.js';
import { failedEnding, interruptedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { failure } from '../failure.js';
import { isSameDirectory, worksElsewhere } from '../session-directory.js';
import { newMessageId, type OpenCodeModel, readModel } from './message.js';
import { PermissionDesk, type PermissionReply } from './permissions.js';
import { agentOf, endsWith, type Rule, readRules, type ToolFilter } from './rules.js';
import { endShells, findShells } from './shells.js';
import type { HttpAnswer, HttpCall } from './transport.js';
import { OpenCodeTurn } from './turns.js';

/** The server as a session sees it. */
export interface SessionServer {
  readonly pid: number;
  call(call: HttpCall): Promise<HttpAnswer>;
  /** The rules of a mode, on top of those that hold in a directory. */
  rules(directory: string, mode: PermissionMode, filter: ToolFilter): Promise<readonly Rule[]>;
  /** Sends the events of this session (one of ours, or of a subagent) to its owner from now on. */
  adopt(sessionId: string, owner: OpenCodeSession): void;
  forget(sessionIds: Iterable<string>): void;
  /** Something that the server said, and what it became. */
  heard(line: string, events: readonly ChatEvent[]): void;
}

export interface SessionFacts {
  readonly id: string;
  /** Where it runs: OpenCode keeps a session in the directory that it was made in. */
  readonly directory: string;
}

export class OpenCodeSession implements LiveSession {
  readonly sessionId: string;
  readonly #server: SessionServer;
  readonly #directory: string;
  readonly #options: LiveSessionOptions;
  readonly #desk = new PermissionDesk();
  readonly #subagents = new Set<string>();
  #mode: PermissionMode;
  #model: OpenCodeModel | undefined;
  #turn: OpenCodeTurn | undefined;
  /** The newest turn: it may still wait for the one before it to be over. */
  #latest: OpenCodeTurn | undefined;
  #abort: Promise<void> | undefined;
  #closed = false;
  #dead: TurnEnding['ending'] | undefined;

  constructor(server: SessionServer, facts: SessionFacts, options: LiveSessionOptions) {
    this.sessionId = facts.id;
    this.#server = server;
    this.#directory = facts.directory;
    this.#options = options;
    this.#mode = options.permissionMode;
    this.#model = readModel(options.model);
  }

  turn(prompt: string): TurnStream {
    const turn: OpenCodeTurn = new OpenCodeTurn(this.sessionId, {
      begin: () =>
        void this.#begin(turn, prompt).catch((error: unknown) => {
          turn.conclude(failedEnding(error));
          this.#close(turn);
        }),
      leave: () => void this.#interrupt(turn),
    });
    return turn.stream;
  }

  async interrupt(): Promise<void> {
    if (this.#latest !== undefined) await this.#interrupt(this.#latest);
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    if (!this.#desk.isPending(id)) {
      throw new TurnoutError('bad_request', `OpenCode is not waiting for an answer to ${id}.`);
    }
    await this.#reply(this.#desk.answer(id, answer));
  }

  async steer(prompt: string): Promise<boolean> {
    const turn = this.#turn;
    if (!turn?.isRunning) return false;
    const id = newMessageId();
    return turn.say(id, this.#say(id, prompt));
  }

  async setModel(model: string): Promise<void> {
    this.#model = readModel(model);
  }

  /** The rules of a mode are kept with the session, and a change is put behind what is there. */
  async setPermissionMode(mode: PermissionMode): Promise<boolean> {
    const path = this.#path();
    const { body } = await this.#ask({ method: 'GET', path });
    const rules = await this.#server.rules(this.#directory, mode, this.#options);
    if (!endsWith(readRules(object(body)['permission']), rules)) {
      await this.#ask({ method: 'PATCH', path, body: { permission: rules } });
    }
    this.#mode = mode;
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.interrupt().catch(() => undefined);
    await this.#turn?.stream.over;
    this.#server.forget([this.sessionId, ...this.#subagents]);
  }

  /** One event of this session, or of a subagent of it. */
  take(event: JsonObject, raw: string): void {
    const type = text(event['type']);
    const properties = object(event['properties']);
    const turn = this.#turn;
    if (type === 'session.created') this.#adopt(text(properties['sessionID']));
    if (type === 'question.asked') this.#rejectQuestion(properties);
    if (type === 'permission.asked' && this.#answersItself(properties)) {
      this.#server.heard(raw, []);
      return;
    }
    const events = turn?.take(event, raw, (found) => this.#withDecision(found)) ?? [];
    this.#server.heard(raw, events.filter(isStep));
    // An abort that came before the session was busy had nothing to stop.
    const busy = type === 'session.status' && object(properties['status'])['type'] === 'busy';
    if (busy && turn?.interrupted && !turn.hasEnded) void this.#stop(turn);
  }

  /** A line that is no event, and nobody's. */
  tell(event: LiveEvent): void {
    this.#turn?.tell(event);
  }

  /** The stream of events was broken and stands again. */
  async resync(): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined || turn.hasEnded) return;
    turn.lostEvents();
    await this.#catchUp(turn).catch(() => undefined);
  }

  /** The process is gone. */
  crash(ending: TurnEnding['ending']): void {
    this.#dead = ending;
    this.#turn?.conclude(ending);
  }

  async #begin(turn: OpenCodeTurn, prompt: string): Promise<void> {
    const before = this.#latest?.stream;
    this.#latest = turn;
    // A turn whose reader has left may still be stopping.
    await before?.over;
    const ending = this.#dead ?? (this.#closed ? closed : turn.interrupted ? interruptedEnding : undefined);
    if (ending !== undefined) {
      turn.stream.push({ type: 'ending', ending });
      return;
    }
    this.#turn = turn;
    const { cwd } = this.#options;
    if (!isSameDirectory(this.#directory, cwd)) turn.tell(worksElsewhere(this.#directory, cwd));
    await this.#drive(turn, prompt);
  }

  async #interrupt(turn: OpenCodeTurn): Promise<void> {
    if (turn.hasEnded || turn.stream.isOver) return;
    turn.interrupted = true;
    // A turn that waits for the one before it is never begun.
    if (turn === this.#turn) await this.#stop(turn);
  }

  async #drive(turn: OpenCodeTurn, prompt: string): Promise<void> {
    const promptId = newMessageId();
    turn.begin(promptId);
    const answer = this.#say(promptId, prompt).catch((error: unknown) => error);
    await Promise.race([turn.ended, allAnswered(answer, turn)]);
    // The turn has ended for its reader, who did not keep up, but not for the server.
    if (turn.stream.overflowed) void this.#stop(turn);
    if (turn.hasEnded) await within(answerPatienceMs, answer);
    else await this.#settle(turn, await answer);
    await this.#abort;
    this.#abort = undefined;
    await this.#reply(this.#desk.clear()).catch(() => undefined);
    this.#close(turn);
  }

  /** Answered when the session is done with it. Said to a busy session (1.18.33) it is taken up with the next step. */
  #say(messageID: string, prompt: string): Promise<HttpAnswer> {
    const agent = agentOf(this.#mode);
    return this.#server.call({
      method: 'POST',
      path: `${this.#path()}/message`,
      directory: this.#directory,
      timeoutMs: 0,
      body: {
        messageID,
        ...(this.#model === undefined ? {} : { model: this.#model }),
        ...(agent === undefined ? {} : { agent }),
        ...(this.#options.systemPrompt === '' ? {} : { system: this.#options.systemPrompt }),
        parts: [{ type: 'text', text: prompt }],
      },
    });
  }

  #close(turn: OpenCodeTurn): void {
    this.#server.forget(this.#subagents);
    this.#subagents.clear();
    if (this.#turn === turn) this.#turn = undefined;
    turn.close();
  }

  /** The request is answered, mostly before its last events have come: they tell more. */
  async #settle(turn: OpenCodeTurn, answer: unknown): Promise<void> {
    // A turn that was stopped before it began has no events to wait for.
    if (turn.interrupted) await this.#abort;
    await within(turn.interrupted ? abortedPatienceMs : eventPatienceMs, turn.ended);
    if (turn.hasEnded) return;
    if (answer instanceof Error) {
      turn.conclude(failedEnding(answer));
      return;
    }
    const { status, body } = answer as HttpAnswer;
    if (status === 200) await this.#catchUp(turn).catch(() => undefined);
    turn.conclude(status === 200 ? undefined : failure(object(body)));
  }

  async #catchUp(turn: OpenCodeTurn): Promise<void> {
    const { body } = await this.#ask({ method: 'GET', path: `${this.#path()}/message` });
    turn.catchUp(body);
    const waiting = await this.#ask({ method: 'GET', path: '/permission' });
    for (const request of Array.isArray(waiting.body) ? waiting.body : []) {
      const id = text(object(request)['id']);
      if (text(object(request)['sessionID']) !== this.sessionId || this.#desk.isPending(id)) continue;
      this.take({ type: 'permission.asked', properties: object(request) }, JSON.stringify(request));
    }
  }

  #stop(turn: OpenCodeTurn): Promise<void> {
    const before = this.#abort ?? Promise.resolve();
    const abort = before.then(() => this.#abortOnce(turn));
    this.#abort = abort;
    return abort;
  }

  async #abortOnce(turn: OpenCodeTurn): Promise<void> {
    const directory = this.#directory;
    const commands = turn.shellCommands.map((command) => ({ command, directory }));
    const shells = await findShells(this.#server.pid, commands).catch(() => []);
    await this.#ask({ method: 'POST', path: `${this.#path()}/abort`, timeoutMs: abortPatienceMs }).catch(
      () => undefined,
    );
    await endShells(shells).catch(() => undefined);
    // Not for the caller to wait for: a server that does not stop must not hold the turn for ever.
    void within(abortPatienceMs, turn.ended).then(() => {
      if (!turn.hasEnded && turn.interrupted) turn.conclude(interruptedEnding);
    });
  }

  async #reply(replies: readonly PermissionReply[]): Promise<void> {
    for (const { id, body } of replies) {
      // 404: a denial took it along.
      await this.#ask({ method: 'POST', path: `/permission/${encodeURIComponent(id)}/reply`, body }, 404);
    }
  }

  #adopt(subagent: string): void {
    if (subagent === this.sessionId) return;
    this.#subagents.add(subagent);
    this.#server.adopt(subagent, this);
  }

  /** A request that needs no person: all is allowed, this has been before, or the turn it belongs to is over. */
  #answersItself(request: JsonObject): boolean {
    const late = this.#turn === undefined || this.#turn.hasEnded;
    const reply = late
      ? { id: text(request['id']), body: { reply: 'reject' } as const }
      : this.#desk.ask(request, this.#mode === 'bypass');
    if (reply !== undefined) void this.#reply([reply]).catch(() => undefined);
    return reply !== undefined;
  }

  #rejectQuestion(properties: JsonObject): void {
    const id = encodeURIComponent(text(properties['id']));
    void this.#ask({ method: 'POST', path: `/question/${id}/reject`, body: {} }).catch(() => undefined);
  }

  #withDecision(event: LiveEvent): LiveEvent {
    if (event.type !== 'permission_resolved') return event;
    return { ...event, decision: this.#desk.takeDecision(event.id) ?? event.decision };
  }

  async #ask(call: HttpCall, alsoGood?: number): Promise<HttpAnswer> {
    const answer = await this.#server.call({ directory: this.#directory, ...call });
    if (answer.status < 300 || answer.status === alsoGood) return answer;
    const { message, code } = failure(object(answer.body));
    throw new TurnoutError(code ?? 'unknown', `OpenCode refused ${call.method} ${call.path}: ${message}`);
  }

  #path(): string {
    return `/session/${encodeURIComponent(this.sessionId)}`;
  }
}

const closed = {
  type: 'failed',
  code: 'bad_request',
  message: 'This OpenCode session has been closed.',
} as const;
const eventPatienceMs = 2000;
const abortedPatienceMs = 250;
const answerPatienceMs = 1000;
const abortPatienceMs = 5000;

async function allAnswered(answer: Promise<unknown>, turn: OpenCodeTurn): Promise<void> {
  await answer;
  // More may be said meanwhile.
  for (const said of turn.answers) await said;
}

function isStep(event: LiveEvent): event is LiveEvent & ChatEvent {
  return event.type !== 'ending';
}
