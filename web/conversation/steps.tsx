import { useMemo, useState } from 'preact/hooks';
import {
  describeToolInput,
  describeWholeInput,
  editNotes,
  type FileEdit,
  summarizeToolInput,
} from '../../src/core/tool-input.js';
import type { MessageView } from '../../src/gateway/channels/http/wire.js';
import { Diff } from '../diff.js';
import { type ToolOutcome, toolOutcome } from '../feed/tool-outcome.js';
import type { PermissionStep, Step, ThinkingStep, ToolStep } from '../feed/turn.js';
import { LongText } from '../long-text.js';
import { Markdown } from '../markdown/markdown.js';
import { memo } from '../memo.js';
import { Notice } from '../notice.js';
import { SomeFirst } from '../some-first.js';
import { VisibleText } from '../visible-text.js';
import { Command } from './command.js';
import { OtherFields } from './other-fields.js';
import { Prompt } from './prompt.js';
import './steps.css';

export interface StepsProps {
  readonly steps: readonly Step[];
  readonly cwd?: string | undefined;
  /** True while the turn runs: its last text grows. */
  readonly running: boolean;
  /** The messages that came into the turn, as a whole. */
  readonly within?: readonly MessageView[] | undefined;
}

/** What the agent said and did, step by step: what it thought and how its tools were called is folded. */
export function Steps({ steps, cwd, running, within }: StepsProps) {
  // A message that came in stands behind the paragraph that is being said.
  const last = running ? steps.findLastIndex(({ type }) => type !== 'steering') : -1;
  return (
    <div class="steps">
      {steps.map((step, index) => (
        <StepView
          key={index}
          step={step}
          cwd={cwd}
          outcome={step.type === 'tool' ? toolOutcome(step, steps, running) : undefined}
          growing={index === last}
          message={
            step.type === 'steering' ? within?.find(({ eventId }) => eventId === step.eventId) : undefined
          }
        />
      ))}
    </div>
  );
}

interface StepProps {
  readonly step: Step;
  readonly cwd: string | undefined;
  /** Of a tool. */
  readonly outcome: ToolOutcome | undefined;
  readonly growing: boolean;
  readonly message: MessageView | undefined;
}

const StepView = memo(function StepView({ step, cwd, outcome = 'running', growing, message }: StepProps) {
  switch (step.type) {
    case 'text':
      return <Markdown text={step.text} growing={growing} />;
    case 'thinking':
      return <Thinking step={step} growing={growing} />;
    case 'tool':
      return <Tool step={step} cwd={cwd} outcome={outcome} />;
    case 'permission':
      return <Decision step={step} />;
    case 'notice':
      return <Notice class="step-notice" text={step.message} />;
    case 'steering':
      if (message === undefined) return <p class="step-notice">{step.message}</p>;
      return <Prompt message={message} />;
  }
});

function Thinking({ step, growing }: { readonly step: ThinkingStep; readonly growing: boolean }) {
  const [open, setOpen] = useState(false);
  if (step.text === '' && step.ended) return null;
  return (
    <details class="step" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="step-name">{growing && !step.ended ? 'Thinking …' : 'Thought'}</span>
      </summary>
      {open && <LongText class="step-thought" text={step.text} atOnce={20_000} />}
    </details>
  );
}

interface ToolProps {
  readonly step: ToolStep;
  readonly cwd: string | undefined;
  readonly outcome: ToolOutcome;
}

function Tool({ step, cwd, outcome }: ToolProps) {
  const { name, input, end } = step;
  const [open, setOpen] = useState(false);
  const summary = useMemo(() => summarizeToolInput(name, input, cwd), [name, input, cwd]);
  return (
    <details
      class={`step step-${outcome.replaceAll(' ', '-')}`}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="step-mark" aria-hidden="true" />
        <span class="step-name">
          <VisibleText text={name} />
        </span>
        <span class="step-summary">
          <VisibleText text={summary} />
        </span>
        {outcome !== 'done' && <span class="step-outcome">{outcome}</span>}
      </summary>
      {open && (
        <div class="step-body">
          <ToolInput name={name} input={input} />
          {end !== undefined && end.output !== '' && (
            <div class="step-output">
              <LongText class="mono" text={end.output} atOnce={4000} />
            </div>
          )}
        </div>
      )}
    </details>
  );
}

interface ToolInputProps {
  readonly name: string;
  readonly input: unknown;
  /** True: nothing is cut. */
  readonly whole?: boolean;
}

/** What a tool does or would do, as far as its input tells, and everything else that is in it. */
export function ToolInput({ name, input, whole = false }: ToolInputProps) {
  return (
    <>
      <Action name={name} input={input} whole={whole} />
      <OtherFields tool={name} input={input} />
    </>
  );
}

function Action({ name, input, whole = false }: ToolInputProps) {
  const describe = whole ? describeWholeInput : describeToolInput;
  const action = useMemo(() => describe(name, input), [name, input, whole]);
  switch (action.type) {
    case 'command':
      return <Command {...action} />;
    case 'edit':
      return <SomeFirst items={action.edits} show={(edit) => <EditView edit={edit} />} atOnce={201} />;
    case 'todos':
      return <Todos items={action.items} />;
    case 'other':
      return <LongText class="mono" text={pretty(input)} atOnce={4000} level="exact" />;
  }
}

function EditView({ edit }: { readonly edit: FileEdit }) {
  const { path, before = '', after = '', diff } = edit;
  const change = useMemo(() => (diff === undefined ? { before, after } : { diff }), [diff, before, after]);
  return <Diff path={path} change={change} notes={editNotes(edit)} />;
}

type Todo = Extract<ReturnType<typeof describeToolInput>, { type: 'todos' }>['items'][number];
const todoMarks = { pending: '○', in_progress: '◐', completed: '●' } as const;
const todoWords = { pending: 'to do', in_progress: 'in progress', completed: 'done' } as const;

export function Todos({ items }: { readonly items: readonly Todo[] }) {
  return (
    <ul class="todos">
      <SomeFirst
        items={items}
        atOnce={200}
        show={({ text, state }) => (
          <li class={`todo-${state}`}>
            <span role="img" aria-label={todoWords[state]}>
              {todoMarks[state]}
            </span>{' '}
            <span>
              <VisibleText text={text} />
            </span>
          </li>
        )}
      />
    </ul>
  );
}

function Decision({ step }: { readonly step: PermissionStep }) {
  if (step.decision === undefined) return null;
  const word = { allow: 'Allowed', allow_always: 'Always allowed', deny: 'Denied' }[step.decision];
  return (
    <p class={`step-notice decision-${step.decision}`}>
      {word}: <VisibleText text={step.tool} />
      {step.message !== undefined && ` (${step.message})`}
    </p>
  );
}

function pretty(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input, null, 2) ?? '');
}
