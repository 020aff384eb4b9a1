import { useId } from 'preact/hooks';
import type { ChartProps } from './chart.js';
import { stepLabel } from './numbers-in-words.js';
import { heightAt, labelledSteps, stack } from './scales.js';
import { BarPattern, isPlain, looks, markPath } from './series-look.js';

interface Props extends ChartProps {
  readonly width: number;
  /** The step under the pointer or the keyboard's. */
  readonly step: number | undefined;
  readonly onStep: (step: number | undefined) => void;
}

/** The drawing. Screen readers get the values from the table instead. */
export function ChartPlot(props: Props) {
  const { kind, series, steps, stepMs, print, ticksUpTo, width, step, onStep } = props;
  const id = useId();
  const stacked = stack(series.map(({ values }) => values));
  const max = Math.max(
    0,
    ...(kind === 'bars'
      ? (stacked.at(-1) ?? []).map(([, to]) => to)
      : series.flatMap(({ values }) => values.map((value) => value ?? 0))),
  );
  const ticks = ticksUpTo(max);
  const top = ticks.at(-1) ?? 1;
  const left = 10 + Math.max(...ticks.map((tick) => print(tick).length)) * 7;
  const inner = Math.max(10, width - left - 6);
  const column = inner / Math.max(1, steps.length);
  const y = (value: number) => edge + heightAt(value, top, plotHeight);
  const xOf = (nth: number) => left + nth * column;
  const rangeMs = steps.length * stepMs;
  const choose = (event: PointerEvent & { readonly currentTarget: SVGRectElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const nth = Math.floor(((event.clientX - box.left) / box.width) * steps.length);
    onStep(Math.min(Math.max(nth, 0), steps.length - 1));
  };
  return (
    <svg class="chart-drawing" width={width} height={plotHeight + 2 * edge + 18} aria-hidden="true">
      <defs>
        {series.map(({ look }, index) => (
          <BarPattern key={look} id={`${id}-${index}`} look={look} />
        ))}
      </defs>
      {ticks.map((tick) => (
        <g key={tick}>
          <path class={tick === 0 ? 'chart-axis' : 'chart-grid'} d={`M${left},${y(tick)} H${left + inner}`} />
          <text class="chart-label" x={left - 6} y={y(tick) + 4} text-anchor="end">
            {tick === 0 ? '0' : print(tick)}
          </text>
        </g>
      ))}
      {step !== undefined && (
        <rect class="chart-chosen" x={xOf(step)} y={edge} width={column} height={plotHeight} />
      )}
      {kind === 'bars'
        ? stacked.map((bars, index) => (
            <g key={series[index]?.name} class={`series-${(series[index]?.look ?? 0) % looks}`}>
              {bars.map(([from, to], nth) => {
                if (to <= from) return null;
                const wide = Math.max(1, Math.min(column * 0.72, 44));
                const box = {
                  x: xOf(nth) + (column - wide) / 2,
                  y: y(to),
                  width: wide,
                  height: Math.max(1, y(from) - y(to)),
                };
                return (
                  <g key={steps[nth]}>
                    <rect class="chart-bar" {...box} />
                    {!isPlain(series[index]?.look ?? 0) && <rect {...box} fill={`url(#${id}-${index})`} />}
                  </g>
                );
              })}
            </g>
          ))
        : series.map(({ name, values, look }) => {
            const points = values.flatMap((value, nth) =>
              value === undefined ? [] : [[xOf(nth) + column / 2, y(value)] as const],
            );
            return (
              <g key={name} class={`series-${look % looks}`}>
                <path
                  class={`chart-line dash-${look % 3}`}
                  d={points.map(([px, py], nth) => `${nth ? 'L' : 'M'}${px},${py}`).join('')}
                />
                {points.map(([px, py]) => (
                  <path key={px} class="chart-mark" d={markPath(look, px, py)} />
                ))}
              </g>
            );
          })}
      {labelledSteps(steps, stepMs, inner / 56).map((nth) => (
        <text
          key={nth}
          class="chart-label"
          x={xOf(nth) + column / 2}
          y={plotHeight + 2 * edge + 12}
          text-anchor="middle"
        >
          {stepLabel(steps[nth] ?? 0, stepMs, rangeMs)}
        </text>
      ))}
      <rect
        class="chart-catch"
        x={left}
        y={0}
        width={inner}
        height={plotHeight + edge}
        onPointerMove={choose}
        onPointerDown={choose}
      />
    </svg>
  );
}

const plotHeight = 150;
const edge = 8;
