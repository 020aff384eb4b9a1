import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isModelName, modelNameExpected } from '../../config/formats.js';
import { readTextFile } from '../../config/read-text-file.js';
import { TurnoutError } from '../../core/errors.js';
import { findRunnerName, unknownRunner } from '../../runner/runner-names.js';
import type { AgentEntry } from '../chain-schema.js';
import { type AgentDefinition, modelProblem } from './definition.js';

/** No prompt is larger, and a file that is was not meant as one. */
export const maxPromptBytes = 1024 * 1024;

/**
 * The agent of an entry in a chain file. Its files are read now, relative to the working directory. What is wrong is thrown with
 * its path. Undefined for an entry without a system prompt: that is a program on PATH.
 */
export async function fromEntry(
  name: string,
  entry: AgentEntry,
  cwd: string,
  file: string,
): Promise<AgentDefinition | undefined> {
  const { systemPromptText, systemPrompt: promptFile, defaultPromptFile } = entry;
  if (systemPromptText === undefined && promptFile === undefined) return undefined;
  const wrong = (field: string, what: string) =>
    new TurnoutError('bad_request', `${file}: agents.${name}.${field}: ${what}`, {
      hint: 'docs/chains.md describes the format.',
    });
  const text = async (field: string, path: string) => {
    const read = await readPromptFile(resolve(cwd, path), path);
    if ('problem' in read) throw wrong(field, read.problem);
    return read.text;
  };
  const runner = (field: 'backend' | 'fallback') => {
    const written = entry[field];
    if (written === undefined) return {};
    const name = findRunnerName(written);
    if (name === undefined) throw wrong(field, unknownRunner(written));
    return { [field]: name };
  };
  const path = (field: 'mcpConfig' | 'settings') => {
    const written = entry[field];
    if (written === undefined) return {};
    const problem = fileProblem(resolve(cwd, written), written);
    if (problem !== undefined) throw wrong(field, problem);
    return { [field]: resolve(cwd, written) };
  };
  const definition: AgentDefinition = {
    name,
    source: file,
    systemPrompt: systemPromptText ?? (await text('systemPrompt', promptFile ?? '')),
    ...runner('backend'),
    ...runner('fallback'),
    ...pick(entry, ['description', 'model', 'maxTurns', 'allowedTools', 'disallowedTools', 'permissionMode']),
    ...path('mcpConfig'),
    ...path('settings'),
    ...(entry.defaultPrompt === undefined && defaultPromptFile !== undefined
      ? { defaultPrompt: await text('defaultPromptFile', defaultPromptFile) }
      : pick(entry, ['defaultPrompt'])),
  };
  const { model } = definition;
  if (model !== undefined && !isModelName(model)) throw wrong('model', modelNameExpected);
  const problem = modelProblem(model, definition.backend);
  if (problem !== undefined) throw wrong('model', problem);
  return definition;
}

/** Reads a prompt whole, or says what keeps it from being read. `shown` is its path in that sentence. */
export async function readPromptFile(
  file: string,
  shown: string,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const read = await readTextFile(file, maxPromptBytes);
  if (read.type === 'missing') return { problem: `${shown} is not there` };
  if (read.type === 'problem') return { problem: `${shown} ${read.problem}` };
  if (read.file.truncated) return { problem: `${shown} is larger than 1 MB` };
  return { text: read.file.text };
}

/** What is wrong with a file that a CLI is to read; undefined if nothing is. */
export function fileProblem(file: string, shown: string): string | undefined {
  try {
    const facts = statSync(file);
    return facts.isFile() ? undefined : `${shown} is not a regular file`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `${shown} is not there`
      : `${shown} could not be read (${code})`;
  }
}

function pick<T extends object, K extends keyof T>(
  from: T,
  keys: readonly K[],
): { [P in K]?: Exclude<T[P], undefined> } {
  const given = keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]] as const]));
  return Object.fromEntries(given) as { [P in K]?: Exclude<T[P], undefined> };
}
