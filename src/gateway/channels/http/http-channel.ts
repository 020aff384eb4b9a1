import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../../config/log.js';
import { TurnoutError } from '../../../core/errors.js';
import type { Metrics } from '../../metrics.js';
import type { GatewayFace, PulledChannel } from '../types.js';
import { httpSource } from './channel-routes.js';
import { explainListenFailure } from './explain-listen-failure.js';
import { createHttpServer, type HttpServer, type ServerLimits } from './http-server.js';
import { loadPage, type Page } from './load-page.js';
import { isLoopback, ownHosts } from './own-hosts.js';
import { createApp } from './routes.js';

export interface HttpLimits extends ServerLimits {
  readonly maxBodyBytes: number;
  /** Running requests have so long to end when the channel stops. */
  readonly stopGraceMs: number;
}

const defaultHttpLimits: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  maxConnections: 256,
  stalledReaderMs: 120_000,
  maxUnreadBytes: 64 * 1024 * 1024,
  maxBodyBytes: 1024 * 1024,
  stopGraceMs: 3000,
};

export interface HttpChannelOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly token: string;
  /** Names, beside the machine's own, under which it may be spoken to. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** From one address; 0, the default, for any number. */
  readonly maxRequestsPerMinute?: number | undefined;
  /** The built page. Without it there is nothing at `/`. */
  readonly pageDirectory?: string | undefined;
  readonly log: Log;
  /** Requests are counted there. */
  readonly metrics?: Metrics | undefined;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** Messages over HTTP. It is pulled: `GET /v1/channels/:id/messages` shows what was said to whoever asks. */
export class HttpChannel implements PulledChannel {
  readonly type = 'pulled';
  readonly name = httpSource;
  readonly #options: HttpChannelOptions;
  readonly #limits: HttpLimits;
  readonly #stopping = new AbortController();
  #http: HttpServer | undefined;
  #address: HttpAddress | undefined;

  constructor(options: HttpChannelOptions) {
    if (options.token === '') throw new TurnoutError('bad_request', 'The HTTP channel needs a token.');
    this.#options = options;
    this.#limits = { ...defaultHttpLimits, ...options.limits };
    // Every stream and every request that waits listens to it.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** The address that it listens on. Throws before the start. */
  get address(): HttpAddress {
    if (this.#address !== undefined) return this.#address;
    throw new TurnoutError('bad_request', 'The HTTP channel has no address before it has started.');
  }

  /** Whatever belongs to no other kind can be read here. */
  owns(): boolean {
    return true;
  }

  async start(gateway: GatewayFace): Promise<void> {
    if (this.#http !== undefined)
      throw new TurnoutError('bad_request', 'The HTTP channel was started twice.');
    const { host, port, token, log, metrics, allowedHosts, pageDirectory } = this.#options;
    const { maxBodyBytes } = this.#limits;
    const app = createApp({
      ...{ gateway, token, log, metrics, maxBodyBytes },
      hosts: ownHosts(host, allowedHosts),
      maxRequestsPerMinute: this.#options.maxRequestsPerMinute ?? 0,
      page: pageDirectory === undefined ? undefined : await readPage(pageDirectory, log),
      stopping: this.#stopping.signal,
    });
    this.#http = createHttpServer(app.fetch, { host, limits: this.#limits, log });
    const { server } = this.#http;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(explainListenFailure(error, host, port)));
      server.listen({ host, port }, resolve);
    });
    server.on('error', (error) => log.error('http server error', { error }));
    const bound = server.address() as AddressInfo;
    this.#address = { host: bound.address, port: bound.port };
    log.info('http channel listens', { host: bound.address, port: bound.port });
    if (!isLoopback(bound.address)) {
      log.warn('http channel can be reached from other machines, without encryption', {
        host: bound.address,
      });
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#http?.close(this.#limits.stopGraceMs);
  }
}

async function readPage(directory: string, log: Log): Promise<Page> {
  const page = await loadPage(directory);
  if (page.problem !== undefined) log.warn('there is no page to serve', { directory, problem: page.problem });
  return page;
}
