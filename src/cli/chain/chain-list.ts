import { TurnoutError } from '../../core/errors.js';
import { proseLine, wholeLine } from '../../core/text.js';
import type { AgentEntry, ChainEntry } from '../../orchestra/chain-schema.js';
import { type ChainFile, chainFilePaths, findChainFile } from '../../orchestra/read-chain-file.js';
import { table } from '../output/table.js';

/** Reads the chain file of a directory; there has to be one. Nothing that it names is run. */
export async function requireChainFile(cwd: string, file: string | undefined): Promise<ChainFile> {
  const found = await findChainFile(cwd, file);
  if (found !== undefined) return found;
  throw new TurnoutError('bad_request', `There is no chain file in ${cwd}.`, {
    hint: `These are looked for: ${chainFilePaths.join(', ')}. --file names another one. docs/chains.md describes the format.`,
  });
}

export function listJson({ path, chains, agents }: ChainFile): unknown {
  return {
    file: path,
    chains: [...chains].map(([name, { description, backend, steps }]) => ({
      name,
      description,
      backend,
      steps,
    })),
    agents: [...agents].map(([name, { description, backend, model }]) => ({
      name,
      description,
      backend,
      model,
    })),
  };
}

/** The chains of a file with their steps, and its agents. */
export function listText({ path, chains, agents }: ChainFile): string {
  const blocks = [...chains].map(([name, chain]) => [
    `  ${wholeLine(name)}${chain.description === undefined ? '' : `  ${proseLine(chain.description)}`}`,
    `    ${chain.steps.map(stepInWords).join(' -> ')}`,
  ]);
  const rows = [...agents].map(([name, agent]) => [`  ${wholeLine(name)}`, ...agentInWords(agent)]);
  const lines = [
    `Chains in ${wholeLine(path)}:`,
    ...(blocks.length === 0 ? ['  none'] : blocks.flat()),
    ...(rows.length === 0 ? [] : ['', 'Agents:', table(rows, ['left', 'left', 'left']).trimEnd()]),
  ];
  return `${lines.join('\n')}\n`;
}

type Step = ChainEntry['steps'][number];

/** `builder:10`, `(lint:3 | docs)` */
function stepInWords({ agent = '?', iterations, parallel }: Step): string {
  if (parallel !== undefined) return `(${parallel.map((step) => stepInWords(step)).join(' | ')})`;
  return iterations === undefined ? wholeLine(agent) : `${wholeLine(agent)}:${iterations}`;
}

function agentInWords({ backend, model, description }: AgentEntry): readonly string[] {
  const runs = [...(backend === undefined ? [] : [backend]), ...(model === undefined ? [] : [model])];
  return [wholeLine(runs.join(' ')), proseLine(description ?? '')];
}
