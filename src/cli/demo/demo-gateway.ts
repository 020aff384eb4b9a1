import { type Environment, given, trustedHome } from '../../config/home-directory.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Served } from '../gateway/serve-gateway.js';
import { demoBackend, registerDemoBackend } from './demo-backend.js';
import { readDemoEnvironment } from './demo-environment.js';
import { layOutDemoFiles } from './demo-files.js';

/**
 * The settings of a gateway for a demo. It has a home of its own and takes nothing from the user's: no hooks, no channels, no
 * settings of another CLI. `/backend` starts a CLI of the machine, with the user's own login, and it asks before it acts.
 */
export function demoGateway(environment: Environment, flags: Environment = {}): Served {
  registerDemoBackend();
  const { settings, inherited } = readDemoEnvironment(environment, flags);
  if (given(environment['WORKING_DIR']) === undefined) layOutDemoFiles(settings.WORKING_DIR);
  const own = {
    AGENT_BACKEND: demoBackend,
    BACKEND_CLI_PATH: undefined,
    PERMISSION_MODE: given(environment['PERMISSION_MODE']) ?? 'ask',
  };
  const homesOfRuns = [trustedHome({ ...environment, ...flags })];
  return { settings: { ...settings, ...own }, inherited, homesOfRuns };
}

const welcomeChannel = 'welcome';

const welcomePrompt = 'Show me around';

/** The first conversation begins when somebody looks: its answer is to be seen while it is written. It comes once in a home. */
export function welcomeWhenFollowed(): (channel: string, gateway: Promise<Gateway>) => void {
  let begun = false;
  return (channel, starting) => {
    if (begun || channel !== welcomeChannel) return;
    begun = true;
    const message = { channel, source: 'http', text: welcomePrompt, messageId: 'turnout-demo-welcome' };
    // If it can't be stored now, the next reader brings it.
    starting
      .then((gateway) => gateway.receive(message))
      .catch(() => {
        begun = false;
      });
  };
}
