import { notice, type Usage } from '../../../core/chat-event.js';
import type { LiveEvent } from '../../live/types.js';
import { interruptedEnding, unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { number, object, objects, text } from '../../output/read-fields.js';
import { toolEnd, toolStart, updatedPlan } from '../tools.js';
import { retryEvent, turnFailure } from './failure.js';
import { execItem, snakeCase } from './items.js';
import { decodeNotification } from './notifications.js';
import { readPermissionRequest } from './permissions.js';
import {
  allAnswers,
  type CodexMessage,
  type CodexTurnState,
  type CodexTurnStep,
  endTurn,
  resolvePermission,
  without,
} from './state.js';

/**
 * One turn of `codex app-server`, as a pure step over the answer to `turn/start` and the notifications and requests about
 * its thread. Measured with 0.166.0.
 */
export function stepCodexTurn(state: CodexTurnState, message: CodexMessage): CodexTurnStep {
  if (state.ended) return [state, []];
  const { value } = message;
  const method = value['method'];
  if (typeof method !== 'string') return turnAccepted(state, value);
  if (value['id'] !== undefined) return requestReceived(state, message, method);
  const params = object(value['params']);
  const turnId = text(params['turnId']) || text(object(params['turn'])['id']);
  if (turnId !== '' && state.turnId === undefined)
    return [{ ...state, heldMessages: [...state.heldMessages, message] }, []];
  // A tool that outlived an interrupted turn reports its end in the middle of the next one.
  if (turnId !== '' && turnId !== state.turnId) return [state, []];
  return notificationReceived(state, method, params, message.raw);
}

function turnAccepted(state: CodexTurnState, response: JsonObject): CodexTurnStep {
  if (response['error'] !== undefined) return endTurn(state, turnFailure(object(response['error'])));
  const turnId = text(object(object(response['result'])['turn'])['id']);
  let accepted: CodexTurnState = { ...state, turnId, heldMessages: [] };
  const events: LiveEvent[] = [];
  for (const message of state.heldMessages) {
    const [next, more] = stepCodexTurn(accepted, message);
    accepted = next;
    events.push(...more);
  }
  return [accepted, events];
}

function requestReceived(state: CodexTurnState, message: CodexMessage, method: string): CodexTurnStep {
  const request = readPermissionRequest(message.value, state.tools);
  if (request === undefined) {
    return [
      state,
      [notice('warning', `Codex asked for ${method}, which nobody here can answer`, message.raw)],
    ];
  }
  const id = String(request.requestId);
  const { tool, input, options, always, toolId } = request;
  const about = { ...(always === undefined ? {} : { always }), ...(toolId === undefined ? {} : { toolId }) };
  return [
    { ...state, permissionRequests: new Map(state.permissionRequests).set(id, request) },
    [{ type: 'permission_request', id, tool, input, options, ...about }],
  ];
}

function notificationReceived(
  state: CodexTurnState,
  method: string,
  params: JsonObject,
  raw: string,
): CodexTurnStep {
  switch (method) {
    case 'turn/started':
      return [{ ...state, started: true }, []];
    case 'item/agentMessage/delta':
      return messageDelta(state, text(params['itemId']), text(params['delta']));
    case 'item/reasoning/summaryTextDelta':
    case 'item/reasoning/textDelta':
      return reasoningDelta(state, text(params['itemId']), text(params['delta']));
    case 'item/reasoning/summaryPartAdded':
      return number(params['summaryIndex']) > 0
        ? reasoningDelta(state, text(params['itemId']), '\n\n')
        : [state, []];
    case 'item/started':
      return itemStarted(state, object(params['item']));
    case 'item/completed':
      return itemCompleted(state, object(params['item']), raw);
    case 'turn/plan/updated':
      return planUpdated(state, params);
    case 'thread/tokenUsage/updated':
      return usageUpdated(state, object(params['tokenUsage']));
    case 'account/rateLimits/updated':
      return limitsUpdated(state, object(params['rateLimits']));
    case 'serverRequest/resolved':
      return resolvePermission(state, String(params['requestId']), 'deny');
    case 'error':
      // Without a retry, turn/completed says the same once more.
      if (params['willRetry'] !== true) return [state, []];
      return [connectionBroke(state), [retryEvent(object(params['error']), raw)]];
    case 'turn/completed':
      return turnCompleted(state, object(params['turn']), raw);
    default:
      return [state, decodeNotification(method, params, raw)];
  }
}

/** Of a longer message only the beginning is compared after a retry. */
const maxRemembered = 1024 * 1024;

function messageDelta(state: CodexTurnState, itemId: string, delta: string): CodexTurnStep {
  const before = state.streamedTexts.get(itemId) ?? { text: '', length: 0 };
  const after = {
    text: before.length < maxRemembered ? before.text + delta : before.text,
    length: before.length + delta.length,
  };
  const next = { ...state, streamedTexts: new Map(state.streamedTexts).set(itemId, after) };
  if (state.abandonedText === '') return [next, [{ type: 'text', text: delta }]];
  if (state.abandonedText.startsWith(after.text)) return [next, []];
  const recovered = { ...next, abandonedText: '' };
  if (after.text.startsWith(state.abandonedText)) {
    return [recovered, [{ type: 'text', text: after.text.slice(state.abandonedText.length) }]];
  }
  const restarted = notice('warning', 'The connection broke in the middle of a message: it begins anew');
  return [recovered, [restarted, { type: 'text', text: after.text }]];
}

function reasoningDelta(state: CodexTurnState, itemId: string, delta: string): CodexTurnStep {
  const known = state.streamedThoughts;
  const thinking = { type: 'thinking', text: delta } as const;
  if (known.has(itemId)) return [state, [thinking]];
  const streamedThoughts = new Set(known).add(itemId);
  return [{ ...state, streamedThoughts }, [{ type: 'thinking_start' }, thinking]];
}

/** After a broken connection an unfinished message comes again from its beginning. */
function connectionBroke(state: CodexTurnState): CodexTurnState {
  const half = [...state.streamedTexts.values()].map((streamed) => streamed.text).join('');
  // A second break may come before the first one's text has come again.
  const abandonedText = half.length > state.abandonedText.length ? half : state.abandonedText;
  return { ...state, streamedTexts: new Map(), abandonedText };
}

function itemStarted(state: CodexTurnState, item: JsonObject): CodexTurnStep {
  if (item['type'] === 'userMessage') return userMessageStarted(state, text(item['clientId']));
  const tool = execItem(item);
  const compactsFirst = state.compactsFirst || isFirstCompaction(state, item);
  if (tool === undefined) return [{ ...state, unanswered: false, compactsFirst }, []];
  const start = toolStart(tool);
  const tools = new Map(state.tools).set(start.id, { name: start.name, input: start.input });
  return [{ ...state, tools, messageComplete: false, unanswered: false }, [start]];
}

/** A conversation that is too long is summed up before the prompt is put behind it. */
function isFirstCompaction({ userMessageIds, totalBefore }: CodexTurnState, item: JsonObject): boolean {
  return item['type'] === 'contextCompaction' && userMessageIds.length === 0 && totalBefore === undefined;
}

/** The model's call of `update_plan` is no item: Codex tells its plan instead, as a whole, after each change. */
function planUpdated(state: CodexTurnState, params: JsonObject): CodexTurnStep {
  const plans = state.plans + 1;
  const steps = objects(params['plan']).map(({ step, status }) => ({
    step,
    status: snakeCase(text(status)),
  }));
  const explanation = text(params['explanation']);
  return [
    { ...state, plans, messageComplete: false, unanswered: false },
    updatedPlan(`plan-${plans}`, steps, explanation),
  ];
}

/**
 * The user's message is the prompt, or one that the turn was steered with. Codex (0.166) then drops the message that the
 * model is writing and asks it anew; a message that was complete stays part of the answer.
 */
function userMessageStarted(state: CodexTurnState, clientId: string): CodexTurnStep {
  const userMessageIds = [...state.userMessageIds, clientId];
  const next = { ...state, userMessageIds, unanswered: true, messageComplete: false };
  if (state.messageComplete) {
    const { answer: _, ...rest } = next;
    return [{ ...rest, earlierAnswers: allAnswers(state) }, [{ type: 'text', text: '\n\n' }]];
  }
  if (state.streamedTexts.size === 0) return [next, []];
  const restarted = notice('info', 'Told something in the middle of a message, the agent begins it anew');
  return [{ ...next, streamedTexts: new Map() }, [restarted]];
}

function itemCompleted(state: CodexTurnState, item: JsonObject, raw: string): CodexTurnStep {
  const id = text(item['id']);
  switch (item['type']) {
    case 'agentMessage':
      return messageCompleted(state, id, text(item['text']));
    case 'reasoning':
      return reasoningCompleted(state, id, item);
    case 'contextCompaction':
      return [state, [notice('info', 'Codex summed up the conversation so far to make room')]];
    case 'subAgentActivity':
      return [state, [notice('info', `Sub-agent ${text(item['agentPath'])}: ${text(item['kind'])}`)]];
    case 'userMessage':
    case 'hookPrompt':
    case 'functionCallOutput':
      return [state, []];
    default:
      return toolCompleted(state, item, raw);
  }
}

function messageCompleted(state: CodexTurnState, id: string, whole: string): CodexTurnStep {
  const streamed = state.streamedTexts.get(id) ?? { text: '', length: 0 };
  const rest = whole.startsWith(streamed.text) ? whole.slice(streamed.length) : '';
  const [next, events] = rest === '' ? ([state, []] as const) : messageDelta(state, id, rest);
  const complete = {
    answer: whole,
    messageComplete: true,
    unanswered: false,
    abandonedText: '',
    streamedTexts: without(next.streamedTexts, id),
  };
  return [{ ...next, ...complete }, events];
}

function reasoningCompleted(state: CodexTurnState, id: string, item: JsonObject): CodexTurnStep {
  if (state.streamedThoughts.has(id)) return [state, []];
  const summary = strings(item['summary']);
  const whole = (summary.length > 0 ? summary : strings(item['content'])).join('\n\n');
  return [state, whole === '' ? [] : [{ type: 'thinking_start' }, { type: 'thinking', text: whole }]];
}

function toolCompleted(state: CodexTurnState, item: JsonObject, raw: string): CodexTurnStep {
  const tool = execItem(item);
  if (tool === undefined) return [state, [unknownLine('An unknown item', raw)]];
  const end = toolEnd(tool);
  const output = end.output === '' && tool['status'] === 'declined' ? 'declined' : end.output;
  const start = state.tools.has(end.id) ? [] : [toolStart(tool)];
  return [{ ...state, tools: without(state.tools, end.id) }, [...start, { ...end, output }]];
}

/** The usage is the difference of two totals, so that an update that comes twice counts once. */
function usageUpdated(state: CodexTurnState, usage: JsonObject): CodexTurnStep {
  const total = tokens(object(usage['total']));
  const last = tokens(object(usage['last']));
  if (state.totalBefore === undefined && isBeforeAnswer(state))
    return [{ ...state, totalBefore: total, untoldUsage: { ...last, ...contextOf(usage) } }, []];
  const totalBefore = state.totalBefore ?? minus(total, last);
  const spent = minus(total, totalBefore);
  // A call that failed has an update as well, with nothing counted.
  const none = spent.inputTokens === 0 && spent.outputTokens === 0;
  return [
    { ...state, totalBefore, untoldUsage: undefined },
    none ? [] : [{ type: 'usage', ...spent, ...contextOf(usage) }],
  ];
}

/** The total of the last call is what it read and wrote; after a compaction it is Codex's own estimate of what is left. */
function contextOf(usage: JsonObject): Pick<Usage, 'contextTokens' | 'contextWindow'> {
  const contextTokens = number(object(usage['last'])['totalTokens']);
  const contextWindow = number(usage['modelContextWindow']);
  if (contextTokens === 0) return {};
  return contextWindow > 0 ? { contextTokens, contextWindow } : { contextTokens };
}

/**
 * True while the model has not said anything: old versions then tell the usage of the turns before once more (0.130.0). At the
 * beginning of a compaction all versions do (0.166.0).
 */
function isBeforeAnswer({ unanswered, userMessageIds, compactsFirst }: CodexTurnState): boolean {
  return userMessageIds.length === 0 ? compactsFirst : unanswered && userMessageIds.length === 1;
}

function tokens(
  counts: JsonObject,
): Required<Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedInputTokens'>> {
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

/** A limit is reported when 90 % of it is used; its reset time goes into the failure that may follow. */
function limitsUpdated(state: CodexTurnState, limits: JsonObject): CodexTurnStep {
  const windows = [object(limits['primary']), object(limits['secondary'])];
  const worst = windows.toSorted((a, b) => number(b['usedPercent']) - number(a['usedPercent']))[0];
  const percent = number(worst?.['usedPercent']);
  const resetsAt = number(worst?.['resetsAt']);
  if (percent < 90 || !isTime(resetsAt) || resetsAt === state.resetsAt) return [state, []];
  const until = new Date(resetsAt * 1000).toISOString();
  return [
    { ...state, resetsAt },
    [notice('warning', `${percent} % of the usage limit is used; it resets at ${until}`)],
  ];
}

/** True for seconds since 1970 that a date can hold. */
function isTime(seconds: number): boolean {
  return new Date(seconds * 1000).getTime() > 0;
}

function turnCompleted(state: CodexTurnState, completed: JsonObject, raw: string): CodexTurnStep {
  switch (completed['status']) {
    case 'completed': {
      const last = objects(completed['items']).findLast((item) => item['type'] === 'agentMessage');
      const answer = allAnswers({ ...state, answer: state.answer ?? text(last?.['text']) }).join('\n\n');
      const [ended, events] = endTurn(state, { type: 'answered', stopReason: 'end_turn', text: answer });
      const usage = state.unanswered ? state.untoldUsage : undefined;
      return [ended, usage === undefined ? events : [{ type: 'usage', ...usage }, ...events]];
    }
    case 'interrupted':
      return endTurn(state, interruptedEnding);
    case 'failed':
      return endTurn(state, turnFailure(object(completed['error']), state.resetsAt));
    default:
      return [state, [unknownLine('An unknown end of a turn', raw)]];
  }
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
}
