export function ChainsView({ runId }: { readonly runId?: string | undefined }) {
  return <p>Chain runs {runId}</p>;
}
