import { ApiError, invalidForm } from '../rest/api-error.js';
import type { UploadedFile } from '../rest/route.js';
import type { Rule, Violations } from '../state/violations.js';
import type { Json } from '../state/world.js';
import { checkComponents } from './component-limits.js';
import { checkEmbeds } from './embed-limits.js';

/** A check that notes what it refuses. */
export type Refuse = (rule: Rule, path: string, code: string, message: string) => ApiError;

export interface Limits {
  readonly violations: Violations;
  readonly maxUploadBytes: number;
}

const maxLength = 2000;
const maxNonceLength = 25;
const maxFiles = 10;

/** Throws what Discord would answer to a message that breaks its rules. */
export function checkMessage(body: Json, files: readonly UploadedFile[], limits: Limits): void {
  const refuse: Refuse = (rule, path, code, message) => {
    limits.violations.record(rule, `${path}: ${message}`);
    return invalidForm(path, code, message);
  };
  checkContent(body['content'], refuse);
  checkNonce(body, refuse);
  checkEmbeds(body['embeds'], refuse);
  checkComponents(body['components'], refuse);
  checkMentions(body['allowed_mentions'], refuse);
  if (files.length > maxFiles)
    throw refuse('file-size', 'attachments', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer.');
  const large = files.find(({ bytes }) => bytes.byteLength > limits.maxUploadBytes);
  if (large) {
    limits.violations.record('file-size', `${large.name} has ${large.bytes.byteLength} bytes`);
    throw new ApiError(413, 40005, 'Request entity too large');
  }
}

/** A message needs something to see. White space is none: Discord trims it. */
export function checkNotEmpty(body: Json, files: number, violations: Violations): void {
  const something = [body['embeds'], body['components'], body['sticker_ids']].some(
    (list) => Array.isArray(list) && list.length > 0,
  );
  if (something || files > 0 || trimmed(body['content']) !== '') return;
  violations.record('empty-message', JSON.stringify(body['content'] ?? null));
  throw new ApiError(400, 50006, 'Cannot send an empty message');
}

export function trimmed(content: unknown): string {
  return typeof content === 'string' ? content.trim() : '';
}

/** Discord counts code points. Code units of UTF-16 are never fewer, and what some clients count: the stricter one holds. */
function checkContent(content: unknown, refuse: Refuse): void {
  if (content === undefined || content === null) return;
  if (typeof content !== 'string')
    throw refuse('malformed', 'content', 'STRING_TYPE_CONVERT', 'Not a string.');
  if (/\p{Surrogate}/u.test(content))
    throw refuse('invalid-text', 'content', 'BASE_TYPE_BAD_TYPE', 'Half of a surrogate pair.');
  if (content.length > maxLength) {
    const detail = `Must be 2000 or fewer in length: ${content.length}.`;
    throw refuse('message-length', 'content', 'BASE_TYPE_MAX_LENGTH', detail);
  }
}

function checkNonce({ nonce, enforce_nonce: enforced }: Json, refuse: Refuse): void {
  const absent = nonce === undefined || nonce === null || nonce === '';
  if (absent && enforced === true)
    throw refuse('nonce', 'nonce', 'BASE_TYPE_REQUIRED', 'enforce_nonce without a nonce.');
  if (absent) return;
  if (typeof nonce !== 'string' && !Number.isSafeInteger(nonce)) {
    throw refuse('nonce', 'nonce', 'NONCE_TYPE', 'Must be a string or an integer.');
  }
  if (String(nonce).length > maxNonceLength) {
    throw refuse(
      'nonce',
      'nonce',
      'NONCE_TYPE_TOO_LONG',
      `Must be 25 or fewer in length: ${String(nonce).length}.`,
    );
  }
}

function checkMentions(given: unknown, refuse: Refuse): void {
  if (given === undefined || given === null) return;
  const { parse = [], users = [], roles = [] } = given as Record<string, readonly string[]>;
  for (const [name, list] of Object.entries({ users, roles })) {
    const path = `allowed_mentions.${name}`;
    if (list.length > 100)
      throw refuse('allowed-mentions', path, 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer.');
    if (list.length > 0 && parse.includes(name)) {
      throw refuse(
        'allowed-mentions',
        path,
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse has "${name}" too.`,
      );
    }
  }
  const unknown = parse.find((name) => !['users', 'roles', 'everyone'].includes(name));
  if (unknown)
    throw refuse(
      'allowed-mentions',
      'allowed_mentions.parse',
      'BASE_TYPE_CHOICES',
      `Unknown value ${unknown}.`,
    );
}
