import type { Log } from '../../config/log.js';
import type { Ballast } from '../../store/ballast.js';
import type { StoredEvent } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import type { TurnRecorder } from '../archive/turn-recorder.js';
import type { Snapshots } from '../changes/snapshots.js';
import type { ChatCommands } from '../commands/chat-commands.js';
import type { GatewayConfig } from '../config.js';
import type { HookManager } from '../hooks/hook-manager.js';
import type { Watcher } from '../journal-points.js';
import type { PermissionRequests } from './permission-requests.js';
import type { Shortage } from './shortage.js';
import type { TurnOutputs } from './turn-outputs.js';

/** The parts of the gateway that a turn needs. */
export interface WorkerParts {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly commands: ChatCommands;
  readonly hooks: HookManager;
  readonly permissions: PermissionRequests;
  /** Tells the channel's readers something. */
  post(channel: string, eventId: string, text: string): Promise<void>;
  readonly outputs: TurnOutputs;
  readonly feed: TurnFeed;
  readonly snapshots: Pick<Snapshots, 'begin'>;
  readonly ballast: Pick<Ballast, 'released' | 'restore'>;
  readonly log: Log;
  readonly now: () => number;
  readonly watch: Watcher;
  readonly shortage: Shortage;
  /** What the kind of a channel tells agents about it. */
  readonly placeOf?: ((channel: string) => string | undefined) | undefined;
  /** Why no agent is asked for a message that has waited: a limit may be reached by now. */
  readonly refuse?: ((event: StoredEvent) => Promise<string | undefined>) | undefined;
}

/** Shows the turns to whoever follows their channels. */
export interface TurnFeed {
  turnBegan(channel: string, turn: { readonly turnId: string; readonly record: TurnRecorder }): void;
  turnGrew(channel: string): void;
  turnEnded(channel: string, turnId: string): void;
  changed(channel: string): void;
  statusChanged(channel: string): void;
}
