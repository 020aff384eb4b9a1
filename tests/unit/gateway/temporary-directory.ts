import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a directory with these files, which is removed after the test. */
export async function directoryWith(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'turnout-gateway-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) await put(directory, path, content);
  return directory;
}

export async function put(directory: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}
