import { TurnoutError } from '../../../core/errors.js';

export interface OpenCodeModel {
  readonly providerID: string;
  readonly modelID: string;
}

/** `provider/model`; the model's own name may hold more slashes. */
export function readModel(model: string | undefined): OpenCodeModel | undefined {
  if (model === undefined) return undefined;
  const at = model.indexOf('/');
  if (at > 0 && at < model.length - 1) {
    return { providerID: model.slice(0, at), modelID: model.slice(at + 1) };
  }
  throw new TurnoutError('bad_request', `OpenCode has no model "${model}".`, {
    hint: 'Name it as provider/model; `opencode models` lists them.',
  });
}
