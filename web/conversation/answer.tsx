import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { CopyButton } from '../copy-button.js';
import type { Row } from '../feed/timeline.js';
import { addEvent, describeTurn, type Step, type Turn, unknownTurn } from '../feed/turn.js';
import { timeInWords } from '../in-words.js';
import { Markdown } from '../markdown/markdown.js';
import { Steps } from './steps.js';

type AnswerRow = Extract<Row, { type: 'answer' }>;

export interface AnswerProps {
  readonly row: AnswerRow;
  readonly cwd: string | undefined;
}

/** An answer, or a turn that may become one. */
export function Answer({ row: { message, turns }, cwd }: AnswerProps) {
  const turn = turns.at(-1);
  const backend = message?.backend ?? turn?.backend ?? 'the agent';
  const running = message === undefined && turn?.state === 'running';
  return (
    <article class="answer" aria-label={`Answer from ${backend}`} aria-busy={running}>
      <header class="answer-head">
        <span class="answer-name">{backend}</span>
        {turn?.model !== undefined && <span class="answer-model">{turn.model}</span>}
        {message !== undefined && <Time iso={message.createdAt} />}
      </header>
      {turns.length === 0 && message?.eventId && <PastSteps eventId={message.eventId} cwd={cwd} />}
      {turns.map((attempt, index) => (
        <Attempt
          key={attempt.turnId}
          turn={attempt}
          cwd={cwd}
          answered={message !== undefined && index === turns.length - 1}
        />
      ))}
      {running && <Waiting turn={turn} />}
      {message !== undefined && <Markdown text={message.text} />}
      {message !== undefined && (
        <footer class="answer-foot">
          <CopyButton text={message.text} label="Copy the answer" />
        </footer>
      )}
    </article>
  );
}

function Attempt({
  turn,
  cwd,
  answered,
}: {
  readonly turn: Turn;
  readonly cwd: string | undefined;
  readonly answered: boolean;
}) {
  const { steps, state, error } = turn;
  const shown = answered ? withoutAnswer(steps) : steps;
  return (
    <>
      {shown.length > 0 && <Steps steps={shown} cwd={cwd} running={state === 'running'} />}
      {error !== undefined && state !== 'running' && !answered && (
        <p class={error.code === 'interrupted' ? 'step-notice' : 'failure'}>
          {error.code === 'interrupted' ? 'Stopped.' : error.message}
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

/** The text behind the last tool is the answer, which the message holds. */
function withoutAnswer(steps: readonly Step[]): readonly Step[] {
  const lastTool = steps.findLastIndex(({ type }) => type === 'tool');
  return steps.filter(({ type }, index) => index <= lastTool || type !== 'text');
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
        <Attempt key={turn.turnId} turn={turn} cwd={cwd} answered={turn.state === 'answered'} />
      ))}
    </>
  );
}

export async function readTurns(eventId: string): Promise<readonly Turn[] | string> {
  try {
    const { turns } = await api.turns(eventId);
    return turns.map(({ events, ...view }) =>
      describeTurn(
        events.reduce((turn, event) => addEvent(turn, event), unknownTurn(view.turnId)),
        view,
      ),
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function Time({ iso }: { readonly iso: string }) {
  return (
    <time class="time" dateTime={iso} title={new Date(iso).toLocaleString()}>
      {timeInWords(iso)}
    </time>
  );
}
