import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

export interface PageFile {
  readonly type: string;
  /** Of the uncompressed content. */
  readonly hash: string;
  /** True if the name changes with the content. */
  readonly immutable: boolean;
  readonly content: Buffer;
  /** The content in an encoding; as it is if that saves nothing. */
  encoded(encoding: Encoding): Promise<Buffer>;
}

/** The page's files by the path of their address, or why there are none. */
export type Page =
  | { readonly files: ReadonlyMap<string, PageFile>; readonly problem?: undefined }
  | { readonly files?: undefined; readonly problem: string };

const maxFiles = 1000;
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads the built page into memory. Addresses are looked up among what was read: nothing outside the directory can be
 * reached, however the address is written. Links and hidden files are left out.
 */
export async function loadPage(directory: string): Promise<Page> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter(
        (path) =>
          !relative(directory, path)
            .split(sep)
            .some((name) => name.startsWith('.')),
      );
    if (paths.length > maxFiles) return { problem: `${directory} has more than ${maxFiles} files.` };
    const files = new Map<string, PageFile>();
    let bytes = 0;
    for (const path of paths) {
      const content = await readFile(path);
      bytes += content.length;
      if (bytes > maxBytes) return { problem: `${directory} has more than ${maxBytes} bytes.` };
      const address = `/${relative(directory, path).split(sep).map(encodeURIComponent).join('/')}`;
      files.set(address, describeFile(address, content));
    }
    const index = files.get('/index.html');
    if (index === undefined) return { problem: `There is no index.html in ${directory}.` };
    return { files: files.set('/', index) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function describeFile(address: string, content: Buffer): PageFile {
  const [type, compressible] = types[extname(address)] ?? ['application/octet-stream', false];
  const made = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    hash: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    immutable: address.startsWith('/assets/'),
    content,
    encoded(encoding) {
      if (!compressible || encoding === 'identity') return Promise.resolve(content);
      // Compressed at the first request for it: a start that nobody opens the page of costs nothing.
      const known = made.get(encoding) ?? compress[encoding](content);
      made.set(encoding, known);
      return known;
    },
  };
}

const compress = {
  // The best quality takes twenty times as long, and saves some percent.
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gzip: (content: Buffer) => promisify(gzip)(content),
};

/** The media type, and whether its files shrink. */
const types: Readonly<Record<string, readonly [string, boolean]>> = {
  '.css': ['text/css; charset=utf-8', true],
  '.html': ['text/html; charset=utf-8', true],
  '.ico': ['image/x-icon', false],
  '.js': ['text/javascript; charset=utf-8', true],
  '.json': ['application/json', true],
  '.map': ['application/json', true],
  '.mjs': ['text/javascript; charset=utf-8', true],
  '.png': ['image/png', false],
  '.svg': ['image/svg+xml', true],
  '.txt': ['text/plain; charset=utf-8', true],
  '.webmanifest': ['application/manifest+json', true],
  '.woff2': ['font/woff2', false],
};
