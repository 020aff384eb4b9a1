import { createHmac, scrypt } from 'node:crypto';

/** 32 characters that are told apart on paper and on the phone: no 0 and O, no 1 and I. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;

/** The code of a stranger follows from a secret that is not in the store: it can be told again, also after a restart. */
export function makePairingCode(secret: string, userId: string, salt: string): string {
  const bytes = createHmac('sha256', secret).update(`turnout pairing\n${userId}\n${salt}`).digest();
  return Array.from(bytes.subarray(0, codeLength), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** A code as it is meant: people type blanks, dashes and small letters. Undefined if it can't be one. */
export function readPairingCode(typed: string): string | undefined {
  if (typed.length > 100) return undefined;
  const code = typed.replace(/[\s\u200b\ufeff`'"\p{Dash}]/gu, '').toUpperCase();
  return code.length === codeLength && Array.from(code).every((letter) => alphabet.includes(letter))
    ? code
    : undefined;
}

/**
 * What the store has of a code. Whoever can read the store, as an agent may, would have to try 2^40 codes within their hour: a slow
 * hash makes that too many.
 */
export function hashPairingCode(code: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(code, 'turnout pairing', 32, { N: 4096, r: 8, p: 1 }, (error, key) =>
      error === null ? resolve(key.toString('hex')) : reject(error),
    );
  });
}
