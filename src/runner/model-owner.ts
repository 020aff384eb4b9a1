import type { AnyBackendName } from '../backends/names.js';
import type { RunnerName } from './types.js';

/** The backend whose models are called like this; undefined if the name does not tell. */
export function modelBelongsTo(model: string): AnyBackendName | undefined {
  const name = model.trim().toLowerCase();
  return owners.find(([, pattern]) => pattern.test(name))?.[0];
}

/** True if a backend can be given the model: its own, or one whose owner can't be told. */
export function modelFits(model: string, backend: RunnerName): boolean {
  const owner = modelBelongsTo(model);
  return owner === undefined || owner === (backend === 'codex-sdk' ? 'codex' : backend);
}

const owners: readonly (readonly [AnyBackendName, RegExp])[] = [
  // Bedrock's and Vertex's names of Claude's models have slashes, dots and colons, but never a provider of OpenCode's in front.
  [
    'claude',
    /^(?:opus|sonnet|haiku|fable|opusplan)(?:\[1m\])?$|^claude-|^(?:arn:.*|[a-z-]+\.)?anthropic\.claude/,
  ],
  ['codex', /^(?:gpt|chatgpt|codex)-|^codex$|^o[1-9](?:-|$)/],
  ['gemini', /^(?:auto-|models\/)?gemini-/],
  ['opencode', /^[a-z0-9][\w.-]*\/\S+$/],
];
