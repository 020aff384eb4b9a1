import { readdirSync, realpathSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import { type ChainFile, chainFilePaths, findChainFile } from '../read-chain-file.js';
import { readClaudeFile } from './claude-file.js';
import type { AgentDefinition } from './definition.js';
import { fromEntry, readPromptFile } from './from-entry.js';
import { readOwnFile } from './own-file.js';

export interface FoundAgents {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Agents that are there and can't be used. Each hides a weaker one of its name: another one must not run in its place. */
  readonly broken: ReadonlyMap<string, BrokenAgent>;
  /** What concerns no agent that was found; each agent has its own. */
  readonly warnings: readonly string[];
}

export interface BrokenAgent {
  readonly name: string;
  readonly source: string;
  /** What is wrong, each with its path. */
  readonly problem: string;
}

/** Where agents are looked for in the working directory. The first place that has a name wins. */
export const agentPlaces = [...chainFilePaths, '.turnout/agents', '.claude/agents'] as const;

/** Finds all agents of a working directory. Files are read, and nothing that they name is run. */
export async function findAgents(cwd: string): Promise<FoundAgents> {
  const found: Findings = { agents: new Map(), broken: new Map(), warnings: [] };
  await addEntries(found, cwd);
  await addFiles(found, cwd, '.turnout/agents');
  await addFiles(found, cwd, '.claude/agents');
  return found;
}

interface Findings {
  readonly agents: Map<string, AgentDefinition>;
  readonly broken: Map<string, BrokenAgent>;
  readonly warnings: string[];
}

async function addEntries(found: Findings, cwd: string): Promise<void> {
  let file: ChainFile | undefined;
  try {
    file = await findChainFile(cwd);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    // The file may be something else altogether; agents in other places work without it.
    found.warnings.push(`No agents are taken from the chain file. ${error.message}`);
  }
  found.warnings.push(...(file?.warnings ?? []));
  for (const [name, entry] of file?.agents ?? []) {
    const source = file?.path ?? '';
    try {
      const agent = await fromEntry(name, entry, cwd, source);
      if (agent !== undefined) found.agents.set(name, agent);
    } catch (error) {
      if (!(error instanceof TurnoutError)) throw error;
      found.broken.set(name, { name, source, problem: error.message });
    }
  }
}

async function addFiles(
  found: Findings,
  cwd: string,
  place: '.turnout/agents' | '.claude/agents',
): Promise<void> {
  const here = new Map<string, string>();
  for (const path of markdownFiles(found, cwd, place)) {
    const stem = basename(path, '.md');
    const source = relative(cwd, path);
    const add = (name: string, put: () => void) => {
      const first = here.get(name);
      here.set(name, first ?? source);
      if (first !== undefined)
        found.warnings.push(`${source} is not used: ${first} has the name ${name} already.`);
      else if (!found.agents.has(name) && !found.broken.has(name)) put();
    };
    const addBroken = (problem: string) =>
      add(stem, () => found.broken.set(stem, { name: stem, source, problem }));
    const read = isOutside(cwd, place, path)
      ? { problem: `${source} leads out of the working directory` }
      : await readPromptFile(path, source);
    if ('problem' in read) {
      addBroken(read.problem);
      continue;
    }
    const reading =
      place === '.claude/agents'
        ? readClaudeFile(source, read.text, stem)
        : readOwnFile(source, read.text, stem, cwd);
    if (reading === 'no agent') continue;
    if ('problems' in reading) {
      addBroken(reading.problems.join('\n'));
      continue;
    }
    const warnings = [
      ...reading.warnings,
      ...(read.text.includes('\uFFFD') ? [`${source} is not all UTF-8: what is not is replaced.`] : []),
    ];
    const { agent } = reading;
    add(agent.name, () =>
      found.agents.set(agent.name, warnings.length === 0 ? agent : { ...agent, warnings }),
    );
  }
}

const mostFiles = 1000;
const deepest = 4;

/** The Markdown files below a place, in the order of their names. Links to directories are not followed. */
function markdownFiles(found: Findings, cwd: string, place: string): readonly string[] {
  const files: string[] = [];
  const look = (directory: string, depth: number): void => {
    for (const entry of entriesOf(found, directory, cwd)) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && depth < deepest) look(path, depth + 1);
      else if (!entry.isDirectory() && /^[^.].*\.md$/.test(entry.name) && !/^readme\.md$/i.test(entry.name))
        files.push(path);
    }
  };
  look(resolve(cwd, place), 1);
  if (files.length <= mostFiles) return files;
  found.warnings.push(`${place} has ${files.length} files: only the first ${mostFiles} are read.`);
  return files.slice(0, mostFiles);
}

function entriesOf(found: Findings, directory: string, cwd: string) {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      found.warnings.push(`${relative(cwd, directory)} could not be read (${code}).`);
    return [];
  }
}

/** A link in a repository must not make an agent of a file elsewhere. The place itself may be a link: its owner made it. */
function isOutside(cwd: string, place: string, path: string): boolean {
  try {
    const real = realpathSync(path);
    return ![cwd, resolve(cwd, place)].some((base) => real.startsWith(realpathSync(base) + sep));
  } catch {
    // Reading it says what is wrong.
    return false;
  }
}
