import type { RecordedTool } from '../../backends/record/types.js';
import type { StoredPermission, StoredTurn, ToolRecord } from '../../store/rows.js';
import type { Agents } from '../agents/agents.js';
import { type Question, toolOf } from './tools-begun.js';

export interface Begun {
  readonly begun: readonly ToolRecord[];
  /** The reason why it can't be known whether a tool had begun. */
  readonly doubt?: string | undefined;
  /** True if the backend never tells, so that the doubt says nothing about the session. */
  readonly neverTold?: boolean | undefined;
}

export const nothingBegun: Begun = { begun: [] };

export interface RecordLook {
  readonly turn: Pick<StoredTurn, 'setup' | 'startedAt' | 'sessionId'>;
  /** The session that the agent has printed. */
  readonly sessionId?: string | undefined;
  /** The questions of the turn that nobody has answered with a yes. */
  readonly notAllowed: readonly Pick<StoredPermission, 'tool' | 'input' | 'state'>[];
  /** The tools that the gateway has heard of; none of them has begun. */
  readonly known: readonly ToolRecord[];
  readonly prompt: string;
  /** True if nobody has heard what the agent printed: it was killed with its gateway, or worked on. */
  readonly unheard?: boolean;
  readonly now: number;
  /** Tools that are of no account: those that only read. */
  readonly leaveOut?: ReadonlySet<string> | undefined;
}

/**
 * Looks into the CLI's own record of a turn that seems untouched: a CLI tells of a tool after it has begun (Codex by a
 * second), may be killed before, and nobody hears what it says into the pipe of a gateway that is dead.
 */
export async function toolsOnRecord(look: RecordLook, agents: Pick<Agents, 'find'>): Promise<Begun> {
  const { turn, notAllowed, prompt, now, leaveOut } = look;
  // One that has only read must not explain another tool of the record.
  const known = look.known.filter(({ name }) => !leaveOut?.has(name));
  const { setup, startedAt: since } = turn;
  if (setup === undefined) return nothingBegun;
  const backend = agents.find(setup.backend);
  if (backend === undefined) return { begun: [], doubt: `this gateway has no backend ${setup.backend}` };
  const named = turn.sessionId ?? look.sessionId;
  const found = await backend.recordedTools?.({
    sessionId: named ?? setup.resumed,
    isNamed: named !== undefined,
    cwd: setup.cwd,
    since,
    prompt: setup.prompt.isChanged ? '' : prompt,
    clockSetBack: now < since,
    ...(look.unheard ? { unheard: true } : {}),
    ...(leaveOut === undefined ? {} : { leaveOut }),
  });
  if (found === undefined)
    return look.unheard
      ? { begun: [], doubt: `${setup.backend} keeps no record of what it does`, neverTold: true }
      : nothingBegun;
  if (found.type === 'untold') return { begun: [], doubt: found.reason, neverTold: true };
  if (found.type === 'unknown') {
    // The tool that a record does not tell of is the one that waits for an answer.
    const isAsking = notAllowed.some(({ state }) => state === 'pending');
    return isAsking ? nothingBegun : { begun: [], doubt: found.reason };
  }
  const tools = found.tools.filter(({ name }) => !leaveOut?.has(name));
  const idle = explanations(tools, known, notAllowed);
  const begun = tools.filter((tool) => !tool.denied && !idle.has(tool));
  return { begun: begun.map((tool) => toRecord(tool, now)) };
}

/**
 * The tools that wait for an answer, or were denied and the record does not say so: those that the gateway has heard of,
 * and one for each question about a tool that it has not heard of. A record may have other ids than the events (Codex),
 * other names and inputs too.
 */
function explanations(
  tools: readonly RecordedTool[],
  known: readonly ToolRecord[],
  notAllowed: readonly Question[],
): ReadonlySet<RecordedTool> {
  const ids = new Set(known.map(({ id }) => id));
  const idle = new Set(tools.filter(({ id }) => ids.has(id)));
  const recorded = new Set(tools.map(({ id }) => id));
  const otherIds = known
    .filter(({ id }) => !recorded.has(id))
    .map(({ name, input }) => ({ tool: name, input }));
  for (const question of [...otherIds, ...unannounced(notAllowed, known)]) {
    const left = tools.filter((tool) => !idle.has(tool) && !tool.denied && (!tool.hasEnded || tool.isError));
    const about = toolOf(question, left) ?? left.at(-1);
    if (about !== undefined) idle.add(about);
  }
  return idle;
}

function unannounced(questions: readonly Question[], known: readonly ToolRecord[]): readonly Question[] {
  const left = new Set(known);
  return questions.filter((question) => {
    const about = toolOf(question, [...left]);
    if (about !== undefined) left.delete(about);
    return about === undefined;
  });
}

function toRecord({ id, name, input, hasEnded, isError }: RecordedTool, at: number): ToolRecord {
  return { id, name, input, startedAt: at, ...(hasEnded ? { endedAt: at, isError } : {}) };
}
