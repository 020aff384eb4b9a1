/** Says why something could not be loaded, beside what was loaded before, if anything was. */
export function LoadFailure({
  failure,
  onRetry,
}: {
  readonly failure: string;
  readonly onRetry: () => void;
}) {
  return (
    <p class="view-failure" role="alert">
      <span>{failure}</span>
      <button type="button" class="small" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
