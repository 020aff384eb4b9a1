/** The name of a file is held as bytes, one character each: names are not always UTF-8. */
export type BytePath = string;

export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

export function bytePath(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

export function textOfPath(path: BytePath): string {
  return bytesOf(path).toString();
}

export function nulTerminated(entries: readonly string[]): Buffer {
  return Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'latin1');
}

export function absolute(cwd: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${cwd}/`), bytesOf(path)]);
}
