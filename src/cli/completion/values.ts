import { resolve } from 'node:path';
import { trustedHome } from '../../config/home-directory.js';
import { type CompletionSource, completionSources } from '../command/command-page.js';

/** A person at the Tab key picks among the newest. */
const mostRuns = 30;

/**
 * The names that a shell may propose. None if something is wrong: the Tab key is no place for an explanation. The names come from
 * files that may be anybody's, so that one which a shell would not take for a plain word is left out.
 */
export async function completionValues(source: string): Promise<readonly string[]> {
  const known = completionSources.find((name) => name === source);
  if (known === undefined) return [];
  try {
    return (await sources[known]()).filter((value) => /^[\w@%+=:,./][\w@%+=:,./-]{0,127}$/.test(value));
  } catch {
    return [];
  }
}

const sources: Readonly<Record<CompletionSource, () => Promise<readonly string[]>>> = {
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
};

function here(): string {
  return resolve(process.env['WORKING_DIR'] ?? '.');
}
