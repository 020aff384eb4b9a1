import { readersGroup } from '../process-user.js';
import { answer, type TreeRequest } from './answer.js';
import { encodeFrame, FrameReader } from './frames.js';

/**
 * Reads work trees with the rights of the agents' user. Root starts it, so that the program need not lie where that user can read it, and
 * it gives its rights away before it reads anything. In its group it is alone, so the kernel lets no other process of that user look into it.
 */
const [uid = 0, gid = 0] = process.argv.slice(2, 4).map(Number);
const name = process.argv[4] ?? '';
if (!(uid > 0) || !Number.isInteger(gid) || name === '') throw new Error('reader <uid> <gid> <name>');
// The types of Node do not know it.
(process as typeof process & { initgroups(user: string, group: number): void }).initgroups(name, gid);
process.setgid?.(readersGroup);
process.setuid?.(uid);
if (process.getuid?.() !== uid || process.geteuid?.() !== uid || process.getegid?.() !== readersGroup)
  throw new Error('The rights of the gateway could not be given away.');

const frames = new FrameReader();
process.stdin.on('data', (chunk: Buffer) => {
  for (const { value } of frames.push(chunk)) {
    const { id, request } = value as { readonly id: number; readonly request: TreeRequest };
    void answer(request).then(
      ({ value, content }) => process.stdout.write(encodeFrame({ id, value }, content)),
      (error: unknown) => process.stdout.write(encodeFrame({ id, error: String(error) })),
    );
  }
});
process.stdin.on('end', () => process.exit());
// The gateway is gone.
process.stdout.on('error', () => process.exit());
