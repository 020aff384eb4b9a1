import type { RunningView } from '../../src/gateway/channels/http/wire.js';
import { durationInWords } from '../in-words.js';
import { useNow } from './use-now.js';

export interface RunningBarProps {
  readonly running: RunningView;
  readonly asks: boolean;
  /** True while the gateway can't be heard: then nobody knows how long it goes on. */
  readonly lost: boolean;
}

/** What the agent is doing now, and for how long. */
export function RunningBar({ running, asks, lost }: RunningBarProps) {
  const elapsed = useNow(!lost) - Date.parse(running.startedAt);
  const doing = asks
    ? 'waits for your answer'
    : running.tool === undefined
      ? 'works'
      : `uses ${running.tool}`;
  return (
    <p class="running-bar">
      <span class={lost ? 'pulse pulse-lost' : asks ? 'pulse pulse-asks' : 'pulse'} aria-hidden="true" />
      <span>
        {running.backend ?? 'The agent'} {doing}
      </span>
      <span class="running-time">{durationInWords(elapsed)}</span>
      {lost && <span>when it was last heard of</span>}
    </p>
  );
}
