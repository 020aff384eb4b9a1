import { ClaudeCodeBackend } from '../../backends/claude-backend.js';
import type { LiveProtocol } from '../../backends/live/types.js';
import type { Vendor } from '../../backends/one-shot/one-shot-backend.js';
import { type BackendEntry, findBackendName, registerBackend } from '../../backends/registry.js';
import type { BackendAdapterConfig } from '../../backends/types.js';
import { demoAgentProgram } from '../built-files.js';

export const demoBackend = 'demo';

/**
 * The bundled demo agent, which speaks Claude's protocol. It has a name of its own, so that `/backend claude` means Claude in a
 * demo too.
 */
class DemoBackend extends ClaudeCodeBackend {
  protected override readonly vendor: Vendor = {
    name: demoBackend,
    label: 'Demo',
    // If its file is missing, the build is.
    install: 'npm run build',
    noise: [],
    advice,
    tellsMcpFailures: true,
  };

  constructor(config: BackendAdapterConfig) {
    super({ ...config, cliPath: demoAgentProgram });
  }

  override async live(): Promise<LiveProtocol> {
    return { ...(await super.live()), advice };
  }
}

/** Makes `demo` a backend of this program, until the returned function is called. Only a demo does: elsewhere nobody means it. */
export function registerDemoBackend(): () => void {
  if (findBackendName(demoBackend) !== undefined) return () => undefined;
  return registerBackend(demoBackend, { ...entry, create: DemoBackend });
}

const advice = { signIn: 'The demo agent has no account: it fails like this when it is asked to.' };

/** It comes with Turnout: nothing installs it. */
const entry: Omit<BackendEntry, 'create'> = { command: demoAgentProgram, install: '' };
