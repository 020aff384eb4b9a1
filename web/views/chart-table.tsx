import { useState } from 'preact/hooks';
import type { Series } from './statistics-table.js';

interface Props {
  readonly title: string;
  readonly series: readonly Series[];
  /** The names of the steps. */
  readonly rows: readonly string[];
  readonly print: (value: number) => string;
}

/** The values of a chart, for those who can't see it or want the numbers. It is made when it is opened. */
export function ChartTable({ title, series, rows, print }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Table<span class="hidden-visually">: {title}</span>
      </summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard
        <section class="table-scroll" tabIndex={0} aria-label={`Table: ${title}`}>
          <table class="number-table">
            <caption class="hidden-visually">{title}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    <bdi>{name}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, step) =>
                series.every(({ values }) => !values[step]) ? null : (
                  <tr key={row}>
                    <th scope="row">{row}</th>
                    {series.map(({ name, values }) => (
                      <td key={name}>{values[step] === undefined ? '–' : print(values[step] ?? 0)}</td>
                    ))}
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
