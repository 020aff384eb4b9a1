import { notice, type PermissionDecision, type StepEvent, type Usage } from '../../../core/chat-event.js';
import type { LiveEvent } from '../../live/types.js';
import { interruptedEnding, unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { number, object, objects, text } from '../../output/read-fields.js';
import { toolEnd, toolStart } from '../tools.js';
import { retryMessage, turnFailure } from './failure.js';
import { execItem } from './items.js';
import { decodeAside } from './notifications.js';
import { type Ask, type OpenTool, readAsk } from './permissions.js';

/** One turn of one thread, as far as it has come. */
export interface CodexTurn {
  /** From the answer to `turn/start`: only what carries this id belongs to the turn. */
  readonly turnId?: string;
  /** Before that it can't be interrupted. */
  readonly started: boolean;
  /** What came before the id was known. */
  readonly early: readonly Message[];
  /** The last message is the answer; those before it are remarks on the way. */
  readonly answer?: string;
  /** Answers that were complete when something was said into the turn. */
  readonly earlier: readonly string[];
  /** A message is complete, and nothing followed it yet. */
  readonly rests: boolean;
  /** What was said into the turn, by the ids it was given. */
  readonly heard: readonly string[];
  /** The last word is the user's: the model was not asked since. */
  readonly unanswered: boolean;
  /** What has been said of messages that are not complete. */
  readonly sent: ReadonlyMap<string, Sent>;
  /** Thoughts that came piece by piece. */
  readonly thoughts: ReadonlySet<string>;
  /** The half of a message that a retry begins anew. */
  readonly abandoned: string;
  readonly tools: ReadonlyMap<string, OpenTool>;
  readonly asks: ReadonlyMap<string, Ask>;
  /** The thread's total before this turn. */
  readonly before?: Usage;
  readonly resetsAt?: number;
  readonly ended: boolean;
}

interface Sent {
  /** Only the beginning of a long one. */
  readonly text: string;
  readonly length: number;
}

export interface Message {
  readonly value: JsonObject;
  readonly raw: string;
}

export type TurnStep = readonly [turn: CodexTurn, events: readonly LiveEvent[]];

export const newTurn: CodexTurn = {
  started: false,
  early: [],
  sent: new Map(),
  thoughts: new Set(),
  abandoned: '',
  earlier: [],
  rests: false,
  heard: [],
  unanswered: false,
  tools: new Map(),
  asks: new Map(),
  ended: false,
};

/** `codex app-server`: the answer to `turn/start`, and what the server then says and asks about the thread. */
export function codexTurnStep(turn: CodexTurn, message: Message): TurnStep {
  if (turn.ended) return [turn, []];
  const { value } = message;
  const method = value['method'];
  if (typeof method !== 'string') return turnAccepted(turn, value);
  if (value['id'] !== undefined) return asked(turn, message, method);
  const params = object(value['params']);
  const turnId = text(params['turnId']) || text(object(params['turn'])['id']);
  if (turnId !== '' && turn.turnId === undefined) return [{ ...turn, early: [...turn.early, message] }, []];
  // A tool that outlived an interrupted turn reports its end in the middle of the next one.
  if (turnId !== '' && turnId !== turn.turnId) return [turn, []];
  return notified(turn, method, params, message.raw);
}

/** A permission was given or refused, or nobody needs it any more. */
export function resolveAsk(turn: CodexTurn, id: string, decision: PermissionDecision): TurnStep {
  if (!turn.asks.has(id)) return [turn, []];
  return [{ ...turn, asks: without(turn.asks, id) }, [{ type: 'permission_resolved', id, decision }]];
}

/** The end of a turn: whatever still waits for a person waits no more. */
export function endTurn(turn: CodexTurn, ending: (LiveEvent & { type: 'ending' })['ending']): TurnStep {
  if (turn.ended) return [turn, []];
  const denied = [...turn.asks.keys()].map(
    (id): StepEvent => ({ type: 'permission_resolved', id, decision: 'deny' }),
  );
  return [{ ...turn, asks: new Map(), ended: true }, [...denied, { type: 'ending', ending }]];
}

/** The turn goes on in another one of Codex's. */
export function goOn(turn: CodexTurn): CodexTurn {
  const { before, resetsAt } = turn;
  return {
    ...newTurn,
    earlier: answers(turn),
    ...(before === undefined ? {} : { before }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
  };
}

function turnAccepted(turn: CodexTurn, response: JsonObject): TurnStep {
  if (response['error'] !== undefined) return endTurn(turn, turnFailure(object(response['error'])));
  const turnId = text(object(object(response['result'])['turn'])['id']);
  let state: CodexTurn = { ...turn, turnId, early: [] };
  const events: LiveEvent[] = [];
  for (const message of turn.early) {
    const [next, more] = codexTurnStep(state, message);
    state = next;
    events.push(...more);
  }
  return [state, events];
}

function asked(turn: CodexTurn, message: Message, method: string): TurnStep {
  const ask = readAsk(message.value, turn.tools);
  if (ask === undefined) {
    return [
      turn,
      [notice('warning', `Codex asked for ${method}, which nobody here can answer`, message.raw)],
    ];
  }
  const id = String(ask.requestId);
  const { tool, input, options } = ask;
  return [
    { ...turn, asks: new Map(turn.asks).set(id, ask) },
    [{ type: 'permission_request', id, tool, input, options }],
  ];
}

function notified(turn: CodexTurn, method: string, params: JsonObject, raw: string): TurnStep {
  switch (method) {
    case 'turn/started':
      return [{ ...turn, started: true }, []];
    case 'item/agentMessage/delta':
      return said(turn, text(params['itemId']), text(params['delta']));
    case 'item/reasoning/summaryTextDelta':
    case 'item/reasoning/textDelta':
      return thought(turn, text(params['itemId']), text(params['delta']));
    case 'item/reasoning/summaryPartAdded':
      return number(params['summaryIndex']) > 0 ? thought(turn, text(params['itemId']), '\n\n') : [turn, []];
    case 'item/started':
      return itemStarted(turn, object(params['item']));
    case 'item/completed':
      return itemCompleted(turn, object(params['item']), raw);
    case 'thread/tokenUsage/updated':
      return used(turn, object(params['tokenUsage']));
    case 'account/rateLimits/updated':
      return limited(turn, object(params['rateLimits']));
    case 'serverRequest/resolved':
      return resolveAsk(turn, String(params['requestId']), 'deny');
    case 'error':
      // Without a retry, turn/completed says the same once more.
      if (params['willRetry'] !== true) return [turn, []];
      return [abandon(turn), [notice('warning', retryMessage(object(params['error'])), raw)]];
    case 'turn/completed':
      return turnCompleted(turn, object(params['turn']), raw);
    default:
      return [turn, decodeAside(method, params, raw)];
  }
}

const maxRemembered = 1024 * 1024;

function said(turn: CodexTurn, itemId: string, delta: string): TurnStep {
  const before = turn.sent.get(itemId) ?? { text: '', length: 0 };
  const after = {
    text: before.length < maxRemembered ? before.text + delta : before.text,
    length: before.length + delta.length,
  };
  const next = { ...turn, sent: new Map(turn.sent).set(itemId, after) };
  if (turn.abandoned === '') return [next, [{ type: 'text', text: delta }]];
  if (turn.abandoned.startsWith(after.text)) return [next, []];
  const found = { ...next, abandoned: '' };
  if (after.text.startsWith(turn.abandoned)) {
    return [found, [{ type: 'text', text: after.text.slice(turn.abandoned.length) }]];
  }
  const anew = notice('warning', 'The connection broke in the middle of a message: it begins anew');
  return [found, [anew, { type: 'text', text: after.text }]];
}

function thought(turn: CodexTurn, itemId: string, delta: string): TurnStep {
  const thoughts = turn.thoughts.has(itemId) ? turn.thoughts : new Set(turn.thoughts).add(itemId);
  return [{ ...turn, thoughts }, [{ type: 'thinking', text: delta }]];
}

/** The connection broke: an unfinished message comes again from its beginning. */
function abandon(turn: CodexTurn): CodexTurn {
  const half = [...turn.sent.values()].map(({ text: said }) => said).join('');
  // A second break may come before the first one's text has come again.
  return { ...turn, sent: new Map(), abandoned: half.length > turn.abandoned.length ? half : turn.abandoned };
}

function itemStarted(turn: CodexTurn, item: JsonObject): TurnStep {
  if (item['type'] === 'userMessage') return userSaid(turn, text(item['clientId']));
  const tool = execItem(item);
  if (tool === undefined) return [{ ...turn, unanswered: false }, []];
  const start = toolStart(tool);
  const tools = new Map(turn.tools).set(start.id, { name: start.name, input: start.input });
  return [{ ...turn, tools, rests: false, unanswered: false }, [start]];
}

/**
 * The prompt, or what was said into the running turn. Codex (0.166) then drops the message that the model is writing and
 * asks it anew; a message that was complete stays said.
 */
function userSaid(turn: CodexTurn, clientId: string): TurnStep {
  const next = { ...turn, heard: [...turn.heard, clientId], unanswered: true, rests: false };
  if (turn.rests) {
    const { answer: _, ...rest } = next;
    return [{ ...rest, earlier: answers(turn) }, [{ type: 'text', text: '\n\n' }]];
  }
  if (turn.sent.size === 0) return [next, []];
  const told = notice('info', 'Told something in the middle of a message, the agent begins it anew');
  return [{ ...next, sent: new Map() }, [told]];
}

function answers(turn: CodexTurn): readonly string[] {
  return turn.answer ? [...turn.earlier, turn.answer] : turn.earlier;
}

function itemCompleted(turn: CodexTurn, item: JsonObject, raw: string): TurnStep {
  const id = text(item['id']);
  switch (item['type']) {
    case 'agentMessage':
      return messageCompleted(turn, id, text(item['text']));
    case 'reasoning':
      return reasoningCompleted(turn, id, item);
    case 'contextCompaction':
      return [turn, [notice('info', 'Codex summed up the conversation so far to make room')]];
    case 'subAgentActivity':
      return [turn, [notice('info', `Sub-agent ${text(item['agentPath'])}: ${text(item['kind'])}`)]];
    case 'userMessage':
    case 'hookPrompt':
    case 'functionCallOutput':
      return [turn, []];
    default:
      return toolCompleted(turn, item, raw);
  }
}

function messageCompleted(turn: CodexTurn, id: string, whole: string): TurnStep {
  const sent = turn.sent.get(id) ?? { text: '', length: 0 };
  const rest = whole.startsWith(sent.text) ? whole.slice(sent.length) : '';
  const [next, events] = rest === '' ? ([turn, []] as const) : said(turn, id, rest);
  const complete = {
    answer: whole,
    rests: true,
    unanswered: false,
    abandoned: '',
    sent: without(next.sent, id),
  };
  return [{ ...next, ...complete }, events];
}

function reasoningCompleted(turn: CodexTurn, id: string, item: JsonObject): TurnStep {
  if (turn.thoughts.has(id)) return [turn, []];
  const summary = strings(item['summary']);
  const whole = (summary.length > 0 ? summary : strings(item['content'])).join('\n\n');
  return [turn, whole === '' ? [] : [{ type: 'thinking', text: whole }]];
}

function toolCompleted(turn: CodexTurn, item: JsonObject, raw: string): TurnStep {
  const tool = execItem(item);
  if (tool === undefined) return [turn, [unknownLine('An unknown item', raw)]];
  const end = toolEnd(tool);
  const output = end.output === '' && tool['status'] === 'declined' ? 'declined' : end.output;
  const start = turn.tools.has(end.id) ? [] : [toolStart(tool)];
  return [{ ...turn, tools: without(turn.tools, end.id) }, [...start, { ...end, output }]];
}

/** The difference of totals: an update that comes twice counts once. */
function used(turn: CodexTurn, usage: JsonObject): TurnStep {
  const total = tokens(object(usage['total']));
  const before = turn.before ?? minus(total, tokens(object(usage['last'])));
  const spent = minus(total, before);
  // A call that failed counts nothing, and is told all the same.
  const none = spent.inputTokens === 0 && spent.outputTokens === 0;
  return [{ ...turn, before }, none ? [] : [{ type: 'usage', ...spent }]];
}

function tokens(counts: JsonObject): Required<Omit<Usage, 'costUsd'>> {
  return {
    inputTokens: number(counts['inputTokens']),
    outputTokens: number(counts['outputTokens']),
    cachedInputTokens: number(counts['cachedInputTokens']),
  };
}

function minus(total: Usage, part: Usage) {
  return {
    inputTokens: total.inputTokens - part.inputTokens,
    outputTokens: total.outputTokens - part.outputTokens,
    cachedInputTokens: (total.cachedInputTokens ?? 0) - (part.cachedInputTokens ?? 0),
  };
}

/** A limit is news when little is left of it; its reset time goes into the failure that may follow. */
function limited(turn: CodexTurn, limits: JsonObject): TurnStep {
  const windows = [object(limits['primary']), object(limits['secondary'])];
  const worst = windows.toSorted((a, b) => number(b['usedPercent']) - number(a['usedPercent']))[0];
  const percent = number(worst?.['usedPercent']);
  const resetsAt = number(worst?.['resetsAt']);
  if (percent < 90 || resetsAt === 0 || resetsAt === turn.resetsAt) return [turn, []];
  const until = new Date(resetsAt * 1000).toISOString();
  return [
    { ...turn, resetsAt },
    [notice('warning', `${percent} % of the usage limit is used; it resets at ${until}`)],
  ];
}

function turnCompleted(turn: CodexTurn, completed: JsonObject, raw: string): TurnStep {
  switch (completed['status']) {
    case 'completed': {
      const last = objects(completed['items']).findLast((item) => item['type'] === 'agentMessage');
      const answer = answers({ ...turn, answer: turn.answer ?? text(last?.['text']) }).join('\n\n');
      return endTurn(turn, { type: 'answered', stopReason: 'end_turn', text: answer });
    }
    case 'interrupted':
      return endTurn(turn, interruptedEnding);
    case 'failed':
      return endTurn(turn, turnFailure(object(completed['error']), turn.resetsAt));
    default:
      return [turn, [unknownLine('An unknown end of a turn', raw)]];
  }
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  if (!map.has(key)) return map;
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
