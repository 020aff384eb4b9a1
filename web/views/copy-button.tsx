import { useEffect, useState } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly name: string;
  readonly text: () => string;
}

/** Copies a text, and says for a moment whether that worked. */
export function CopyButton({ label, name, text }: Props) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), 1_500);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    copyText(text()).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  return (
    <button type="button" class="small" aria-label={outcome === undefined ? name : undefined} onClick={copy}>
      {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Not copied' : label}
    </button>
  );
}

/** Beyond 127.0.0.1 and without TLS browsers have no `navigator.clipboard`. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'hidden-visually';
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (!copied) throw new Error('The browser refused to copy.');
}
