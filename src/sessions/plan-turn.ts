import { childEnvironment } from '../backends/launch/child-environment.js';
import { withoutLookingUp } from '../backends/launch/planned.js';
import { planProcess } from '../backends/one-shot/plan-process.js';
import { createBackend } from '../backends/registry.js';
import type { BackendAdapter, LocatedCli, SpawnedCommand } from '../backends/types.js';
import { liveOptions } from './live-options.js';
import { requestOf } from './one-shot-session.js';
import type { CompleteSessionOptions } from './types.js';
import { noLiveSessions, unsupported } from './wording.js';

/**
 * Returns the command that a turn of such a session would be started with. Nothing is started, written or looked up: temporary
 * files are in `<temporary>`, and a CLI that is not installed has its plain name.
 */
export async function planTurn(given: CompleteSessionOptions, prompt = ''): Promise<SpawnedCommand> {
  const options = withoutLookingUp(given);
  const { backend, config, adapter = createBackend(backend, config) } = options;
  if (options.live === false) {
    if (adapter.plan === undefined) throw unsupported(backend, 'plans');
    return adapter.plan({ ...requestOf(options), prompt });
  }
  if (adapter.live === undefined) throw noLiveSessions(backend);
  const env = childEnvironment(config.env ?? process.env);
  const cli = await located(adapter, config.cliPath);
  return planProcess(await adapter.live(), liveOptions(options), { cli, env });
}

async function located(adapter: BackendAdapter, cliPath: string): Promise<LocatedCli> {
  const plain = { command: cliPath };
  return adapter.locate === undefined ? plain : adapter.locate().catch(() => plain);
}
