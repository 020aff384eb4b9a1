import { open } from 'node:fs/promises';

export interface Download {
  readonly url: string;
  readonly path: string;
  /** More is not taken, whatever was announced. */
  readonly maxBytes: number;
  /** `https://host`, with the port if it has one. Nothing else is asked, and no redirect leads to another place. */
  readonly origins: readonly string[];
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** For tests. */
  readonly openFile?: typeof open | undefined;
}

/** A download that is not made, or not finished, for a reason that can be told to everybody. */
export class DownloadRefused extends Error {
  override readonly name = 'DownloadRefused';
}

const maxRedirects = 3;

/** Loads into a new file that only this user can read, and returns the number of bytes. The caller removes it after a failure. */
export async function download(request: Download): Promise<number> {
  const response = await ask(request);
  if (response.body === null || !response.ok) {
    await response.body?.cancel();
    throw new DownloadRefused(`Discord answered with the status ${response.status}`);
  }
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > request.maxBytes) {
    await response.body.cancel();
    throw tooMuch();
  }
  const file = await (request.openFile ?? open)(request.path, 'wx', 0o600);
  try {
    let received = 0;
    // Leaving the loop ends the transfer.
    for await (const chunk of response.body) {
      received += chunk.length;
      if (received > request.maxBytes) throw tooMuch();
      await file.appendFile(chunk);
    }
    return received;
  } finally {
    await file.close();
  }
}

async function ask({ url, origins, signal, fetch }: Download): Promise<Response> {
  let address = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    checkAddress(address, origins);
    // Compressed bytes would be counted only when they are unpacked.
    const headers = { 'accept-encoding': 'identity' };
    const response = await fetch(address, { redirect: 'manual', signal, headers });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    address = URL.canParse(location, address) ? new URL(location, address).href : '';
  }
  throw new DownloadRefused('Discord sends it from one place to the next');
}

function checkAddress(address: string, origins: readonly string[]): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url?.username === '' && url.password === '';
  if (url === undefined || !isPlain || !origins.includes(url.origin))
    throw new DownloadRefused('its address is not one of Discord’s');
}

function tooMuch(): DownloadRefused {
  return new DownloadRefused('it is larger than is allowed');
}
