import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../copy-button.js';
import type { ConversationStore } from '../feed/conversation-store.js';
import { readTurns } from '../feed/read-turns.js';
import { splitAnswer, withoutAnswer } from '../feed/split-answer.js';
import type { AnswerRow } from '../feed/timeline.js';
import type { Turn } from '../feed/turn.js';
import { sentence } from '../in-words.js';
import { Markdown } from '../markdown/markdown.js';
import { WithCode } from '../notice.js';
import { Time } from './prompt.js';
import { Steps } from './steps.js';

export interface AnswerProps {
  readonly row: AnswerRow;
  readonly cwd: string | undefined;
  readonly store: ConversationStore;
}

/** An answer, or a turn that may become one. */
export function Answer({ row, cwd, store }: AnswerProps) {
  const { message, turns, within, told, joined } = row;
  const turn = turns.at(-1);
  const backend = message?.backend ?? turn?.backend ?? 'the agent';
  const running = message === undefined && turn?.state === 'running';
  // A message that came in while it was being answered stands where it came in.
  useEffect(() => {
    if (joined && message?.eventId) void store.loadTurns(message.eventId);
  }, [joined]);
  const answer = message === undefined ? undefined : splitAnswer(turn?.steps ?? [], message.text);
  return (
    <article class="answer" aria-label={`Answer from ${backend}`} aria-busy={running}>
      <header class="answer-head">
        <span class="answer-name">{backend}</span>
        {turn?.model !== undefined && <span class="answer-model">{turn.model}</span>}
        {message !== undefined && <Time iso={message.createdAt} />}
      </header>
      {turns.length === 0 && message?.eventId && <PastSteps eventId={message.eventId} cwd={cwd} />}
      {turns.map((attempt) => {
        const answered = answer !== undefined && attempt === turn;
        const steps = answered ? answer.steps : attempt.steps;
        return (
          <Attempt
            key={attempt.turnId}
            turn={{ ...attempt, steps }}
            cwd={cwd}
            within={within}
            told={answered || (told && attempt === turn)}
          />
        );
      })}
      {running && <Waiting turn={turn} />}
      {message?.silent && <p class="step-notice">Nothing to say</p>}
      {message !== undefined && !message.silent && !answer?.isWhole && <Markdown text={message.text} />}
      {message !== undefined && !message.silent && (
        <footer class="answer-foot">
          <CopyButton text={message.text} label="Copy the answer" />
        </footer>
      )}
    </article>
  );
}

interface AttemptProps {
  readonly turn: Turn;
  readonly cwd: string | undefined;
  readonly within?: AnswerRow['within'];
  /** True if it is said elsewhere how the attempt ended. */
  readonly told: boolean;
}

function Attempt({ turn: { steps, state, error }, cwd, within, told }: AttemptProps) {
  return (
    <>
      {steps.length > 0 && <Steps steps={steps} cwd={cwd} running={state === 'running'} within={within} />}
      {error !== undefined && state !== 'running' && !told && (
        <p class={error.code === 'interrupted' ? 'step-notice' : 'failure'}>
          {error.code === 'interrupted' ? 'Stopped.' : <WithCode text={sentence(error.message)} />}
          {state === 'postponed' && ' It is tried again.'}
        </p>
      )}
    </>
  );
}

/** Dots until the first word or step is there. */
function Waiting({ turn }: { readonly turn: Turn }) {
  if (turn.steps.length > 0) return null;
  return (
    <p class="working" role="img" aria-label="Working">
      <span />
      <span />
      <span />
    </p>
  );
}

/** The steps of a turn that was not seen at work are read when they are asked for. */
function PastSteps({ eventId, cwd }: { readonly eventId: string; readonly cwd: string | undefined }) {
  const [turns, setTurns] = useState<readonly Turn[] | string>();
  const load = async (event: { currentTarget: HTMLDetailsElement }) => {
    if (!event.currentTarget.open || Array.isArray(turns)) return;
    setTurns(await readTurns(eventId));
  };
  return (
    <details class="past-steps" onToggle={load}>
      <summary>Steps</summary>
      {turns === undefined && <p class="step-notice">Loading …</p>}
      {typeof turns === 'string' && <p class="failure">{turns}</p>}
      {Array.isArray(turns) && <PastTurns turns={turns} cwd={cwd} />}
    </details>
  );
}

function PastTurns({ turns, cwd }: { readonly turns: readonly Turn[]; readonly cwd: string | undefined }) {
  const shown = turns.map((turn) => ({ ...turn, steps: withoutAnswer(turn.steps) }));
  if (shown.every(({ steps, error }) => steps.length === 0 && error === undefined)) {
    return <p class="step-notice">It answered without thinking aloud or using a tool.</p>;
  }
  return (
    <>
      {shown.map((turn) => (
        <Attempt key={turn.turnId} turn={turn} cwd={cwd} told={turn.state === 'answered'} />
      ))}
    </>
  );
}
