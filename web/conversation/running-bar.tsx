import { useEffect, useState } from 'preact/hooks';
import type { RunningView } from '../../src/gateway/channels/http/wire.js';
import { durationInWords } from '../in-words.js';

export interface RunningBarProps {
  readonly running: RunningView;
  readonly asks: boolean;
}

/** What the agent is doing now, and for how long. */
export function RunningBar({ running, asks }: RunningBarProps) {
  const doing = asks
    ? 'waits for your answer'
    : running.tool === undefined
      ? 'works'
      : `uses ${running.tool}`;
  return (
    <p class="running-bar">
      <span class={asks ? 'pulse pulse-asks' : 'pulse'} aria-hidden="true" />
      <span>
        {running.backend ?? 'The agent'} {doing}
      </span>
      <Elapsed since={running.startedAt} />
    </p>
  );
}

function Elapsed({ since }: { readonly since: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span class="running-time">{durationInWords(now - Date.parse(since))}</span>;
}
