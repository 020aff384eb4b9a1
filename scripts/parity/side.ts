import type { VendorName } from '../../src/backends/registry.js';
import type { PermissionDecision } from '../../src/core/chat-event.js';
import type { LabHome } from '../../src/lab/home.js';
import type { Fact } from './facts.js';

export type Vendor = Extract<VendorName, 'claude' | 'codex'>;

/** Who drives the CLI: the vendor's SDK, or one of Turnout's two ways. */
export type SideName = 'sdk' | 'live' | 'one-shot';

/** One way to hold a conversation with one CLI. */
export interface Side {
  readonly name: SideName;
  /** Text arrives while the model writes it. */
  readonly deltas: boolean;
  open(options: OpenOptions): Promise<Conversation>;
  close(): Promise<void>;
}

export interface SideOptions {
  readonly vendor: Vendor;
  readonly cliPath: string;
  readonly home: LabHome;
}

export interface OpenOptions {
  /** Told of everything that happens, in order. */
  readonly tell: (fact: Fact) => void;
  readonly sessionId?: string | undefined;
  /** Default: nothing is asked, everything is allowed. */
  readonly ask?: Ask | undefined;
}

/** How questions are answered. `never`: nobody is there. */
export type Ask =
  | { readonly decision: PermissionDecision; readonly message?: string }
  | { readonly decision: 'never' };

export interface Conversation {
  readonly sessionId: string | undefined;
  /** One turn. Resolves when it has ended, one way or another. */
  turn(prompt: string): Promise<void>;
  interrupt(): Promise<void>;
  close(): Promise<void>;
}
