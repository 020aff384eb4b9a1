import { resolve } from 'node:path';
import { backendNames } from '../../backends/registry.js';
import { trustedHome } from '../../config/home-directory.js';
import { isSettingName, problemOf, settingNames } from '../../config/settings.js';
import { shortQuestionId } from '../../core/question-id.js';
import { type CompletionSource, completionSources } from '../command/command-page.js';
import { shortId } from '../output/short-id.js';

/** A person at the Tab key picks among the newest. */
const mostRuns = 30;
const mostSessions = 30;

/**
 * The names that a shell may propose. None if something is wrong: the Tab key is no place for an explanation. The names come from
 * files that may be anybody's, so that one which a shell would not take for a plain word is left out.
 */
export async function completionValues(source: string, at: Place = {}): Promise<readonly string[]> {
  const known = completionSources.find((name) => name === source);
  if (known === undefined) return [];
  try {
    return (await sources[known](at)).filter((value) => /^[\w@%+=:,./][\w@%+=:,./-]{0,127}$/.test(value));
  } catch {
    return [];
  }
}

/** Where the cursor is. */
export interface Place {
  /** The word before it. */
  readonly before?: string | undefined;
  /** What is typed already of the word that is wanted. */
  readonly typed?: string | undefined;
}

const sources: Readonly<Record<CompletionSource, (at: Place) => Promise<readonly string[]>>> = {
  chains: async () => {
    const { findChainFile } = await import('../../orchestra/read-chain-file.js');
    return [...((await findChainFile(here()))?.chains.keys() ?? [])];
  },
  agents: async () => {
    const { findAgents } = await import('../../orchestra/agents/find-agents.js');
    return [...(await findAgents(here())).agents.keys()].sort();
  },
  runs: async () => {
    const { listRuns } = await import('../../orchestra/runs.js');
    const runs = await listRuns(trustedHome(process.env), undefined, mostRuns);
    return runs.map(({ runId }) => runId);
  },
  channels: async () => {
    const { openArchive } = await import('../../gateway/archive/open-archive.js');
    const archive = await openArchive(trustedHome(process.env));
    try {
      return (await archive.channels()).map(({ channel }) => channel);
    } finally {
      await archive.close();
    }
  },
  sessions: async () => {
    const { indexedDirectory, knownSessions } = await import('../sessions/session-index.js');
    const directory = indexedDirectory(here());
    const sessions = knownSessions(trustedHome(process.env)).filter((one) => one.directory === directory);
    return sessions.slice(0, mostSessions).map(({ sessionId }) => shortId(sessionId));
  },
  permissions: async () => {
    const { chooseGateway } = await import('../client/find-gateway.js');
    const { GatewayClient } = await import('../client/gateway-client.js');
    const { permissions } = await new GatewayClient(chooseGateway({}, process.env).locate).permissions();
    return permissions.map(({ id }) => shortQuestionId(id));
  },
  settings: async ({ typed = '' }) => spelledAs(typed, settingNames),
  'setting-values': async ({ before = '', typed = '' }) => {
    const name = before.toUpperCase().replaceAll('-', '_');
    return isSettingName(name) ? valuesOf(name) : spelledAs(typed, settingNames);
  },
};

/** A setting's name may be written in both ways: it is proposed as its beginning is. */
function spelledAs(typed: string, names: readonly string[]): readonly string[] {
  return /^[A-Z]/.test(typed) ? names : names.map((name) => name.toLowerCase().replaceAll('_', '-'));
}

/** The words that a setting takes, if it takes words: they are named to whoever writes another one. */
function valuesOf(name: string): readonly string[] {
  if (name === 'AGENT_BACKEND') return backendNames();
  const [, words = ''] =
    /^expected (?:one of )?([a-z]+(?:, [a-z]+)+|1 or 0)$/.exec(problemOf(name, '?') ?? '') ?? [];
  return words === '' ? [] : words.split(/, | or /);
}

function here(): string {
  return resolve(process.env['WORKING_DIR'] ?? '.');
}
