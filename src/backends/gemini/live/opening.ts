import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../../../core/errors.js';
import { readMcpServers } from '../../launch/mcp-config.js';
import type { LiveSessionOptions } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';
import { isSameSession, otherSession } from '../../output/resumed-session.js';
import { geminiMode } from './permissions.js';
import { matchInstructions } from './prompt.js';
import type { GeminiConnection } from './transport.js';

const openMs = 30_000;
/** A history without an end mark is over after this much silence. */
const silenceMs = 1000;

export interface Opened {
  readonly sessionId: string;
  readonly answer: JsonObject;
  /** The system prompt, if the conversation does not have it yet; else empty. */
  readonly pendingInstructions: string;
}

export async function newSession(
  connection: GeminiConnection,
  place: JsonObject,
  systemPrompt: string,
): Promise<Opened> {
  const answer = await connection.request('session/new', place, openMs);
  const sessionId = text(answer['sessionId']);
  if (sessionId === '') throw new TurnoutError('parse', 'Gemini opened a session without an id');
  return { sessionId, answer, pendingInstructions: systemPrompt };
}

/** The caller passes the session's updates to `replay` meanwhile. */
export async function loadSession(
  connection: GeminiConnection,
  sessionId: string,
  place: JsonObject,
  replay: Replay,
): Promise<Opened> {
  const answer = await connection.request('session/load', { sessionId, ...place }, openMs);
  const told = text(answer['sessionId']);
  if (told !== '' && !isSameSession(sessionId, told))
    throw new TurnoutError('session_not_found', otherSession('Gemini', sessionId, told));
  await awaitHistory(connection, sessionId, answer, replay);
  return { sessionId, answer, pendingInstructions: replay.hasInstructions ? '' : replay.systemPrompt };
}

/** Gemini would also take `latest`, or a number for a place in its list, and use that as the session's id. */
export function checkSessionId(sessionId: string): void {
  if (/^[\w-]+$/.test(sessionId) && !/^(\d+|latest)$/.test(sessionId)) return;
  throw new TurnoutError(
    'session_not_found',
    `${JSON.stringify(sessionId)} is not the id of a Gemini session`,
  );
}

/** Sets the mode and the model of a session that was just opened. */
export async function configureSession(
  connection: GeminiConnection,
  { sessionId, answer }: Opened,
  options: LiveSessionOptions,
): Promise<void> {
  const modes = object(answer['modes']);
  const modeId = geminiMode(options);
  const changes: Promise<unknown>[] = [];
  if (modes['currentModeId'] !== modeId) {
    if (!objects(modes['availableModes']).some((mode) => mode['id'] === modeId)) {
      throw new TurnoutError('unsupported', `Gemini does not offer its mode "${modeId}" here`, {
        hint: 'Its settings may have switched it off.',
      });
    }
    changes.push(connection.request('session/set_mode', { sessionId, modeId }, openMs));
  }
  if (options.model !== undefined) {
    changes.push(connection.request('session/set_model', { sessionId, modelId: options.model }, openMs));
  }
  await Promise.all(changes);
}

/** Takes the history of a session that is being loaded. */
export class Replay {
  readonly systemPrompt: string;
  messages = 0;
  complete = false;
  /** The last system prompt in the history is the current one. */
  hasInstructions = false;

  constructor(systemPrompt: string) {
    this.systemPrompt = systemPrompt;
  }

  receive(update: JsonObject): void {
    if (update['sessionUpdate'] === 'available_commands_update') this.complete = true;
    else this.messages += 1;
    if (update['sessionUpdate'] !== 'user_message_chunk') return;
    const message = text(object(update['content'])['text']);
    this.hasInstructions = matchInstructions(message, this.systemPrompt) ?? this.hasInstructions;
  }
}

/**
 * Gemini 0.61.0 answers `session/load` first and sends the history then, with the list of commands as its end. Updates
 * that came later would be taken for the next turn's: so requests are sent until a whole round trip brings none.
 */
async function awaitHistory(
  connection: GeminiConnection,
  sessionId: string,
  answer: JsonObject,
  replay: Replay,
): Promise<void> {
  const start = performance.now();
  const modeId = text(object(answer['modes'])['currentModeId']);
  for (let quiet = false; !quiet; ) {
    const waited = performance.now() - start;
    if (waited > openMs) throw new TurnoutError('timeout', 'Gemini did not tell the history to its end');
    const before = replay.messages;
    await connection.request('session/set_mode', { sessionId, modeId }, openMs);
    quiet = replay.messages === before && (replay.complete || waited > silenceMs);
    if (!quiet) await sleep(5);
  }
}

/** The servers of a file in Claude's format, as `session/new` takes them. */
export async function acpMcpServers(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly JsonObject[]> {
  const servers = await readMcpServers(file, env);
  return servers.map(({ name, runs }) => {
    if (runs.type === 'local') return { name, command: runs.command, args: runs.args, env: pairs(runs.env) };
    return { type: runs.type, name, url: runs.url, headers: pairs(runs.headers) };
  });
}

function pairs(record: Readonly<Record<string, string>>): readonly JsonObject[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}
