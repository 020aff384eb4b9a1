import type { ListedSession } from '../../backends/record/types.js';
import { backendNames, createBackend } from '../../backends/registry.js';
import type { BackendAdapter } from '../../backends/types.js';
import { TurnoutError } from '../../core/errors.js';
import { late, within } from '../../core/wait.js';
import type { ChannelState } from '../../store/rows.js';
import type { ChannelChange, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import type { VendorSession, VendorSessions } from '../channels/lookups.js';
import type { GatewayConfig } from '../config.js';
import type { TurnSettings } from './turn-settings.js';

export interface CliSessionsParts {
  readonly config: GatewayConfig;
  readonly store: Pick<Store, 'channel' | 'sessions' | 'adoptSession'>;
  readonly runtime: AgentRuntime;
  readonly now: () => number;
  channelChanged(channel: string): void;
}

/** So many sessions of each CLI are looked at. */
const mostSessions = 50;

/** A disk that does not answer, or thousands of records, must not keep the others from being shown. */
const patienceMs = 5000;

/** The sessions that the CLIs have made by themselves, by their own records: no CLI is started to list them. */
export class CliSessions implements VendorSessions {
  readonly #parts: CliSessionsParts;

  constructor(parts: CliSessionsParts) {
    this.#parts = parts;
  }

  async list(channel: string): Promise<Awaited<ReturnType<VendorSessions['list']>>> {
    const { cwd } = await this.#settings(channel);
    const looks = this.#backends().map(([name, adapter]) => look(name, adapter, cwd));
    const found = await Promise.all(looks);
    const taken = await this.#taken();
    const sessions = found
      .flatMap(({ sessions: listed }) => listed)
      // A session that a channel goes on with is that channel's.
      .filter((session) => !taken.has(key(session)))
      .sort((one, other) => other.updatedAt - one.updatedAt);
    return { cwd, sessions, problems: found.flatMap(({ problem }) => problem ?? []) };
  }

  async resume(channel: string, backend: string, sessionId: string): Promise<void> {
    const { store, now, channelChanged } = this.#parts;
    const stored = await store.channel(channel);
    const settings = await this.#settings(channel, stored);
    const { cwd } = settings;
    const [name, adapter] = this.#backends().find(([known]) => known === backend) ?? [];
    if (name === undefined || adapter === undefined)
      throw new TurnoutError('bad_request', `There is no backend ${JSON.stringify(backend)} here.`);
    const { sessions, problem } = await look(name, adapter, cwd);
    const session = sessions.find((one) => one.sessionId === sessionId);
    if (session === undefined)
      throw new TurnoutError(
        'bad_request',
        `${name} has no session ${JSON.stringify(sessionId)} in ${cwd}${problem === undefined ? '' : `: ${problem}`}.`,
        { hint: 'Choose one of the list: older ones than its last are not gone on with.' },
      );
    const restrictions = this.#parts.runtime.checkRestrictions({ ...settings, backend: name });
    if (restrictions.type === 'refused') throw new TurnoutError('bad_request', restrictions.text);
    const dropped = restrictions.type === 'dropped' ? [restrictions.text] : [];
    const adopted = await store.adoptSession(
      {
        session: { channel, backend: name, sessionId, cwd },
        change: changeTo(name, settings),
        text: [`Going on with the session ${sessionId} of ${name}: ${session.title}`, ...dropped].join('\n'),
      },
      now(),
    );
    if (adopted !== 'adopted') throw refusals[adopted](name, sessionId);
    channelChanged(channel);
  }

  async #settings(channel: string, stored?: ChannelState): Promise<TurnSettings> {
    const { store, runtime } = this.#parts;
    return runtime.settings(channel, stored ?? (await store.channel(channel)));
  }

  /** The backends that can list their sessions. Those that no turn has used yet are made here: that tells nobody anything. */
  #backends(): readonly (readonly [name: string, adapter: BackendAdapter])[] {
    const { config, runtime } = this.#parts;
    const { agents } = runtime;
    const own = [config.agentBackend, agents.adapter(config.agentBackend)] as const;
    const others = backendNames().filter((name) => name !== config.agentBackend);
    return [own, ...others.map((name) => [name, createBackend(name, agents.configOf(name))] as const)];
  }

  async #taken(): Promise<ReadonlySet<string>> {
    return new Set((await this.#parts.store.sessions()).map(key));
  }
}

interface Look {
  readonly sessions: readonly VendorSession[];
  readonly problem?: string;
}

/** Never rejects: what can't be listed is told. A CLI that is not installed could not go on with its sessions. */
async function look(name: string, adapter: BackendAdapter, cwd: string): Promise<Look> {
  const listed = async (): Promise<readonly ListedSession[]> => {
    if (adapter.listSessions === undefined || !(await adapter.validate())) return [];
    return adapter.listSessions(cwd, mostSessions);
  };
  try {
    const found = await within(patienceMs, listed());
    if (found === late)
      return {
        sessions: [],
        problem: `The sessions of ${name} were not listed within ${patienceMs / 1000} s.`,
      };
    return { sessions: found.map((session) => ({ ...session, backend: name })) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { sessions: [], problem: `The sessions of ${name} can't be listed: ${why}` };
  }
}

function key({ backend, sessionId }: Pick<VendorSession, 'backend' | 'sessionId'>): string {
  return `${backend}\n${sessionId}`;
}

/** A model's name means nothing to another vendor, and a depth of thinking something else. */
function changeTo(backend: string, current: TurnSettings): ChannelChange {
  return backend === current.backend ? { backend } : { backend, model: null, thinking: null };
}

const refusals = {
  busy: () =>
    new TurnoutError('bad_request', 'A turn runs or waits in this channel.', {
      hint: 'Wait for its end, or stop it and drop what waits.',
    }),
  taken: (backend: string, sessionId: string) =>
    new TurnoutError('bad_request', `A channel goes on with the session ${sessionId} of ${backend} already.`),
} as const;
