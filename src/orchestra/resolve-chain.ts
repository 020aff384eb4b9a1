import type { BackendAdapterConfig } from '../backends/types.js';
import type { ResolvedChain } from './types.js';
import type { Variables } from './variables.js';

export interface ChainRequest {
  /** Absolute. */
  readonly cwd: string;
  readonly file?: string | undefined;
  /** A name of the file or one line. Undefined: the only chain of the file. */
  readonly chain: string | undefined;
  readonly variables: Variables;
  readonly prompt?: string | undefined;
  readonly promptFile?: string | undefined;
  readonly backend?: string | undefined;
  readonly model?: string | undefined;
  readonly nonce?: boolean | undefined;
  readonly allowUnsupported?: boolean | undefined;
  /** AGENT_BACKEND, FORGE_BACKEND, else claude. */
  readonly defaultBackend: string;
  readonly configFor: (backend: string) => BackendAdapterConfig;
}

/** Looks everything up and checks it, before the first token. */
export async function resolveChain(_request: ChainRequest): Promise<ResolvedChain> {
  throw new Error('stub: the engine takes its own');
}
