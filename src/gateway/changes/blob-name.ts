import { createHash } from 'node:crypto';

/** Git's name for a content. */
export function blobName(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
