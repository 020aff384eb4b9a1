import type { PermissionDecision } from '../core/chat-event.js';
import type { Lease } from './queue-store.js';
import type { StoredPermission } from './rows.js';

/** What agents ask, and what people have answered. */
export interface PermissionStore {
  /** Records a question of the turn. One that was asked before a crash (same event, tool, input, answers and rule) keeps its id. */
  askPermission(lease: Lease, request: NewPermission): Promise<StoredPermission>;
  /** Answers a pending request; undefined if none is pending with that id. */
  decidePermission(id: string, answer: PermissionAnswer): Promise<StoredPermission | undefined>;
  pendingPermissions(): Promise<readonly StoredPermission[]>;
  /** Those that wait, of one channel or of all, oldest first: long inputs, and those beyond some, are left out. */
  pendingOutlines(channel?: string): Promise<readonly StoredPermission[]>;
  /** All questions of a turn, answered ones too. */
  questions(turnId: string): Promise<readonly StoredPermission[]>;
  permission(id: string): Promise<StoredPermission | undefined>;
}

export interface NewPermission {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly PermissionDecision[];
  readonly always?: string | undefined;
  readonly at: number;
}

export interface PermissionAnswer {
  readonly decision: PermissionDecision;
  readonly message?: string | undefined;
  readonly at: number;
}
