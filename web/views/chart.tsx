import { useId, useState } from 'preact/hooks';
import { ChartPlot } from './chart-plot.js';
import { ChartTable } from './chart-table.js';
import { stepName } from './numbers-in-words.js';
import { Swatch } from './series-look.js';
import type { Series } from './statistics-table.js';
import { useWidth } from './use-width.js';

export interface ChartProps {
  readonly title: string;
  /** Bars are stacked. */
  readonly kind: 'bars' | 'lines';
  readonly series: readonly (Series & { readonly look: number })[];
  readonly steps: readonly number[];
  readonly stepMs: number;
  readonly print: (value: number) => string;
  readonly ticksUpTo: (max: number) => readonly number[];
  /** What is said in place of the chart if there is nothing to draw. */
  readonly empty: string;
}

/** A chart with its legend, its values on hover and by arrow keys, and a table of them. */
export function Chart(props: ChartProps) {
  const { title, kind, steps, stepMs, print } = props;
  const series = props.series.filter(({ values }) =>
    values.some((value) => value !== undefined && value > 0),
  );
  const id = useId();
  const [frame, width] = useWidth<HTMLElement>();
  const [step, setStep] = useState<number>();
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepAfterKey(event.key, step, steps.length);
    if (next === undefined) return;
    event.preventDefault();
    setStep(next === 'none' ? undefined : next);
  };
  return (
    <figure
      class={series.length === 0 ? 'chart chart-nothing' : 'chart'}
      ref={frame}
      aria-labelledby={`${id}-title`}
    >
      <figcaption>
        <h3 id={`${id}-title`}>{title}</h3>
      </figcaption>
      {series.length === 0 ? (
        <p class="chart-empty">{props.empty}</p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: it is no set of form fields */}
          <div
            class="chart-plot"
            role="group"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values
            tabIndex={0}
            aria-label={`${title}: arrow keys read the values`}
            onKeyDown={onKeyDown}
            onFocus={() => setStep((now) => now ?? lastWithValue(series, steps.length))}
            onBlur={() => setStep(undefined)}
            // A finger that is lifted leaves too: what it has shown stays until the next tap.
            onPointerLeave={(event) => event.pointerType === 'mouse' && setStep(undefined)}
          >
            <ChartPlot {...props} series={series} width={width} step={step} onStep={setStep} />
            {step !== undefined && <Values {...props} width={width} step={step} />}
          </div>
          <ul class="chart-legend">
            {series.map(({ name, look }, index) => (
              <li key={name}>
                <Swatch kind={kind} look={look} id={`${id}-legend-${index}`} />
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
          <ChartTable
            title={title}
            series={series}
            rows={steps.map((at) => stepName(at, stepMs))}
            print={print}
          />
        </>
      )}
    </figure>
  );
}

function Values({
  kind,
  series,
  steps,
  stepMs,
  print,
  width,
  step,
}: ChartProps & { width: number; step: number }) {
  const id = useId();
  const told = series
    .map(({ name, values, look }) => ({ name, look, value: values[step] }))
    .filter(({ value }) => value !== undefined && value > 0);
  const total = told.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const right = step > steps.length / 2;
  const distance = Math.round((width * (right ? steps.length - step : step + 1)) / steps.length);
  const limited = Math.min(distance, Math.max(0, width - 150));
  return (
    <div
      class="chart-values"
      role="status"
      style={right ? { right: `${limited}px` } : { left: `${limited}px` }}
    >
      <strong>{stepName(steps[step] ?? 0, stepMs)}</strong>
      {told.length === 0 && <span>Nothing</span>}
      {told.map(({ name, look, value }, index) => (
        <span key={name} class="chart-value">
          <Swatch kind={kind} look={look} id={`${id}-${index}`} />
          <bdi>{name}</bdi> <b>{print(value ?? 0)}</b>
        </span>
      ))}
      {kind === 'bars' && told.length > 1 && (
        <span class="chart-value total">
          Together <b>{print(total)}</b>
        </span>
      )}
    </div>
  );
}

function stepAfterKey(key: string, step: number | undefined, steps: number): number | 'none' | undefined {
  switch (key) {
    case 'ArrowRight':
      return Math.min(steps - 1, (step ?? -1) + 1);
    case 'ArrowLeft':
      return Math.max(0, (step ?? steps) - 1);
    case 'Home':
      return 0;
    case 'End':
      return steps - 1;
    case 'Escape':
      return 'none';
    default:
      return undefined;
  }
}

function lastWithValue(series: readonly Series[], steps: number): number {
  for (let step = steps - 1; step > 0; step--) if (series.some(({ values }) => values[step])) return step;
  return 0;
}
