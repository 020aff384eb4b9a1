import type { ChainRunView } from '../../src/gateway/channels/http/wire.js';
import { Markdown } from '../markdown/markdown.js';
import { count, dollars, plainCode, shortNumber } from './numbers-in-words.js';
import { RunStatus } from './run-status.js';

type Step = ChainRunView['steps'][number];

/** A step of a run: what it came to, and what it said. */
export function ChainStep({ step, last }: { readonly step: Step; readonly last: boolean }) {
  const facts = factsOf(step);
  return (
    <li class={`chain-step status-${step.status}`}>
      <h2>
        <bdi>{step.name ?? step.agent}</bdi>
        <RunStatus status={step.status} />
      </h2>
      <p class="chain-facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {step.error !== undefined && (
        <p class="chain-error">
          <strong>{plainCode(step.error.code)}</strong> {step.error.message}
        </p>
      )}
      {step.output !== '' && (
        <details class="chain-output" open={last || step.error !== undefined}>
          <summary>Output</summary>
          <Markdown text={step.output} />
        </details>
      )}
    </li>
  );
}

/** Why a step ended, as docs/chains.md tells it. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['marker', 'the agent said it is done'],
  ['single_run', 'one run'],
  ['max_iterations', 'no more iterations allowed'],
  ['budget', 'the budget is used up'],
  ['no_progress', 'no progress any more'],
  ['verify_failed', 'not confirmed by the check'],
  ['error', 'ended by an error'],
  ['interrupted', 'interrupted'],
]);

function factsOf(step: Step): readonly string[] {
  const { usage } = step;
  return [
    step.name === undefined ? step.backend : `${step.agent} · ${step.backend}`,
    ...(step.iterations > 0 ? [count(step.iterations, 'iteration')] : []),
    ...(step.reason === undefined ? [] : [reasons.get(step.reason) ?? plainCode(step.reason)]),
    ...(step.verified === undefined ? [] : [step.verified ? 'verified' : 'not verified']),
    ...(usage === undefined
      ? []
      : [`${shortNumber(usage.inputTokens)} tokens in, ${shortNumber(usage.outputTokens)} out`]),
    ...(usage?.costUsd === undefined ? [] : [dollars(usage.costUsd)]),
  ];
}
