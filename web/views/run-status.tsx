/** The state of a run or a step. The word says it; the colour only helps. */
export function RunStatus({ status }: { readonly status: string }) {
  return <span class={`run-status ${tones.get(status) ?? 'neutral'}`}>{status}</span>;
}

const tones: ReadonlyMap<string, string> = new Map([
  ['completed', 'good'],
  ['done', 'good'],
  ['running', 'busy'],
  ['failed', 'bad'],
  ['interrupted', 'warn'],
  ['incomplete', 'warn'],
]);
