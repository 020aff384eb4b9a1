import { type AnyBackendName, findBackendName } from '../../../../backends/registry.js';
import type { AgentChoice } from '../../../../store/rows.js';
import type { BackendSummary } from '../../lookups.js';
import { OpenAiProblem } from './open-ai-problem.js';

/** The model that stands for whatever answers in the channel. */
export const defaultModel = 'default';

/** The ids of the models that can be asked for: each backend that is installed, and the models it was run with. */
export function modelIds(backends: readonly BackendSummary[]): readonly string[] {
  const usable = backends.filter(({ installed }) => installed);
  return [
    defaultModel,
    ...usable.flatMap(({ name, models }) => [name, ...models.map((model) => `${name}/${model}`)]),
  ];
}

export function representModel(id: string, created: number) {
  return { id, object: 'model', created, owned_by: id.split('/')[0] ?? 'turnout' } as const;
}

/** Names that only models of one vendor have: programs send them without knowing of backends. */
const vendors: readonly { readonly backend: AnyBackendName; readonly names: RegExp }[] = [
  { backend: 'claude', names: /^claude-[a-z\d]/i },
  { backend: 'codex', names: /^(gpt-([5-9]|\d\d)|gpt-.*-codex|codex-[a-z\d])/i },
  { backend: 'gemini', names: /^gemini-[a-z\d]/i },
];

/**
 * The backend is what stands before the first slash; what stands behind it is a model of that backend's CLI. A name alone may
 * also be a vendor's model.
 */
export function findAgent(written: string, backends: readonly BackendSummary[]): AgentChoice {
  const slash = written.indexOf('/');
  const name = slash === -1 ? written : written.slice(0, slash);
  const model = slash === -1 ? '' : written.slice(slash + 1);
  if (name.toLowerCase() === defaultModel) return model === '' ? {} : { model };
  const meant = findBackendName(name);
  const backend = backends.find((known) => known.name === name || known.name === meant);
  if (backend === undefined && slash === -1) {
    const vendor = vendors.find(({ names }) => names.test(written))?.backend;
    if (vendor !== undefined) return findAgent(`${vendor}/${written}`, backends);
  }
  if (backend === undefined) throw modelNotFound(`There is no model ${shown(written)}`, backends);
  if (!backend.installed) {
    const why = backend.notice ?? `${backend.name} is not installed. Install it with: ${backend.install}`;
    throw modelNotFound(`The model ${shown(written)} can't be used: ${why}`.replace(/\.$/, ''), backends);
  }
  return { backend: backend.name, model: model === '' ? null : model };
}

export function modelNotFound(what: string, backends: readonly BackendSummary[]): OpenAiProblem {
  const known = modelIds(backends).join(', ');
  const message = `${what}. There are: ${known}. Any model of a backend can be named behind it: <backend>/<model>.`;
  return new OpenAiProblem(404, message, { param: 'model', code: 'model_not_found' });
}

function shown(model: string): string {
  return JSON.stringify(model.slice(0, 160));
}
