import { useEffect, useState } from 'preact/hooks';

export interface CopyButtonProps {
  readonly text: string | (() => string);
  /** What is copied, for those who can't see where the button stands: `Copy code`. */
  readonly label: string;
  /** The word on the button, where `Copy` alone would leave open what. */
  readonly shown?: string;
}

export function CopyButton({ text, label, shown: ready = 'Copy' }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () =>
    setState((await copyText(typeof text === 'string' ? text : text())) ? 'copied' : 'failed');
  const shown = { ready, copied: 'Copied', failed: 'Could not copy' }[state];
  return (
    <button
      type="button"
      class="small plain copy"
      aria-label={state === 'ready' ? label : shown}
      onClick={copy}
    >
      {shown}
    </button>
  );
}

/** The clipboard is there only over https and on this machine; elsewhere the old way still works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'hidden-visually';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
