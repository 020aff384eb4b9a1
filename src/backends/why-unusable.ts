import { TurnoutError } from '../core/errors.js';
import type { BackendAdapter } from './types.js';

/** Returns the reason why a backend can't be used. Its `validate` decides (R1.4); `locate`, if it has one, knows the reason. */
export async function whyUnusable(backend: BackendAdapter): Promise<string | undefined> {
  try {
    if (await backend.validate()) return undefined;
    await backend.locate?.();
    return 'its own check (validate) says so.';
  } catch (error) {
    if (error instanceof TurnoutError) return error.explanation;
    return error instanceof Error ? error.message : String(error);
  }
}
