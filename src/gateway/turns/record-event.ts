import type { ChatEvent } from '../../core/chat-event.js';
import type { AgentTurn } from '../agents/agents.js';
import type { TurnSettings } from '../agents/turn-settings.js';
import type { RunningTurn } from './running-turn.js';
import { treeTaken } from './turn-trees.js';
import type { WorkerParts } from './worker-parts.js';

/** The end of a tool that was denied. */
const refused = { isError: true, denied: true } as const;

/** Writes down what an agent tells, before anything else follows from it; then it is judged, and asked about. */
export async function recordEvent(
  running: RunningTurn,
  chatEvent: ChatEvent,
  agent: AgentTurn,
  settings: TurnSettings,
  { now, permissions }: Pick<WorkerParts, 'now' | 'permissions'>,
): Promise<void> {
  const { lease, event, attempt, gate, journal, hookStop, stopping } = running;
  running.agent = agent;
  attempt.recorder.accept(chatEvent);
  switch (chatEvent.type) {
    case 'session': {
      const { sessionId, model } = chatEvent;
      attempt.sessionId = sessionId;
      return journal.note({ type: 'session', sessionId, model });
    }
    case 'tool_start': {
      const { id, name, input } = chatEvent;
      const at = now();
      attempt.toolStarted({ id, name, input, startedAt: at });
      await journal.note({ type: 'tool_started', id, name, input, at });
      // A tool that nobody has to allow may run by now. The snapshot was begun before the CLI, which takes longer to start.
      await treeTaken(running);
      running.trees?.toolBegins();
      return gate.started(chatEvent);
    }
    case 'tool_end': {
      const { id, isError } = chatEvent;
      const at = now();
      attempt.toolEnded(chatEvent, at);
      const denied = chatEvent.denied ?? attempt.isDenied(id);
      journal.noteEnd({ type: 'tool_ended', id, isError, denied, at });
      return gate.ended(id);
    }
    case 'permission_request': {
      // An agent that asks for ever has asked for more by now; these questions need no record.
      if (attempt.overasked !== undefined) return;
      attempt.permissionAsked(chatEvent);
      if (stopping.aborted) return;
      await treeTaken(running);
      running.trees?.toolBegins();
      const verdict = await gate.requested(chatEvent, settings);
      // Requests that are allowed are bounded by the tools that run; those that are refused or need a person by a number.
      if (verdict.type !== 'allow') attempt.overasked = permissions.refusal(lease, chatEvent);
      if (attempt.overasked !== undefined) return hookStop.abort();
      if (verdict.type === 'ask_person') return permissions.ask(lease, event.id, chatEvent, agent);
      const reason = verdict.type === 'deny' ? verdict.reason : undefined;
      // The deadline or the end of the turn may have settled the question meanwhile.
      await agent.answerPermission(chatEvent.id, verdict.type, reason).catch(() => undefined);
      return;
    }
    case 'permission_resolved': {
      // A CLI that is stopped denies what it was asking for: nobody has decided that.
      if (stopping.aborted && chatEvent.decision === 'deny') return;
      const id = attempt.permissionAnswered(chatEvent.id, chatEvent.decision);
      if (id !== undefined) await journal.note({ type: 'tool_ended', id, ...refused, at: now() });
      return permissions.resolved(lease, chatEvent);
    }
    default:
      return;
  }
}
