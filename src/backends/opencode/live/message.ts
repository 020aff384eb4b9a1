import { randomBytes } from 'node:crypto';
import { TurnoutError } from '../../../core/errors.js';

/**
 * A new id for a message, as OpenCode makes them: the time in 48 bits of hex, then 14 random characters. OpenCode orders
 * its messages by their ids, so an id of another form would put a prompt before or behind the wrong ones.
 */
export function newMessageId(now = Date.now()): string {
  count = now === last ? count + 1 : 1;
  last = now;
  const time = BigInt.asUintN(48, BigInt(now) * 0x1000n + BigInt(count));
  return `msg_${time.toString(16).padStart(12, '0')}${randomText(14)}`;
}

let last = 0;
let count = 0;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('');
}

export interface OpenCodeModel {
  readonly providerID: string;
  readonly modelID: string;
}

/** The model in `provider/model`; its own name may hold more slashes. */
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
