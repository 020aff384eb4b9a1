import type { UsageView } from '../../src/gateway/channels/http/wire.js';
import { dollars, shortNumber } from './numbers-in-words.js';

/** What was used in all, the most first. */
export function UsageTable({ caption, usage }: { readonly caption: string; readonly usage: UsageView }) {
  const rows = [...usage.rows].sort((a, b) => b.turns - a.turns);
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <table class="number-table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Turns</th>
            <th scope="col">Input</th>
            <th scope="col">Cached</th>
            <th scope="col">Output</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, turns, inputTokens, cachedInputTokens, outputTokens, costUsd }) => (
            <tr key={key}>
              <th scope="row">
                <bdi>{key === '' ? 'not told' : key}</bdi>
              </th>
              <td>{shortNumber(turns)}</td>
              <td>{shortNumber(inputTokens)}</td>
              <td>{shortNumber(cachedInputTokens)}</td>
              <td>{shortNumber(outputTokens)}</td>
              <td>{dollars(costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
