import type { Key } from '../input/keys.js';
import type { LiveRegion } from '../state/live-region.js';
import type { Line } from '../text/styled-line.js';

/** Where a chat is shown and typed. */
export interface ChatScreen {
  readonly movesCursor: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly isReady: boolean;
  open(events: ScreenEvents): void;
  /** `awaitsInput`: it is the user's turn to type. */
  draw(print: readonly Line[], live: LiveRegion, awaitsInput: boolean): void;
  clearScreen(): void;
  suspend(): void;
  /** Leaves the terminal as it was. Idempotent. */
  close(): void;
}

export interface ScreenEvents {
  onKey(key: Key): void;
  onLine(text: string): void;
  onResize(columns: number, rows: number): void;
  /** It takes frames again. */
  onReady(): void;
  /** The terminal is gone, or nothing more will come from it. */
  onClosed(): void;
}
