import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { BackendAdapter } from '../../src/backends/types.js';
import { createLog } from '../../src/config/log.js';
import { loadConfig } from '../../src/gateway/config.js';
import { Gateway, type GatewayOptions } from '../../src/gateway/gateway.js';
import type { JournalPoint } from '../../src/gateway/journal-points.js';
import { patience } from '../machine-speed.js';

export const demoAgent = fileURLToPath(new URL('../../dist/demo-agent/main.js', import.meta.url));

export interface GatewayStage {
  readonly root: string;
  readonly home: string;
  readonly work: string;
  readonly log: readonly Record<string, unknown>[];
  readonly points: readonly JournalPoint[];
  onPoint(look: (point: JournalPoint) => void): void;
  /** Writes a file of CONFIG_DIR. */
  configure(path: string, text: string): void;
  start(
    env?: Record<string, string>,
    backend?: BackendAdapter,
    options?: Partial<GatewayOptions>,
  ): Promise<Client>;
}

/**
 * Sets up a data directory for gateways over the demo agent in this process, one after the other. They end with the test, or
 * as `atEnd` says: with `afterAll` the tests of a file share it.
 */
export function setUpGateway(
  settings: Record<string, string> = {},
  pageDirectory?: string,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): GatewayStage {
  const root = mkdtempSync(join(tmpdir(), 'turnout-gateway-'));
  const home = join(root, 'home');
  const work = join(root, 'work');
  const configDir = join(root, 'config');
  for (const directory of [work, configDir]) mkdirSync(directory);
  const log: Record<string, unknown>[] = [];
  const points: JournalPoint[] = [];
  const lookers: ((point: JournalPoint) => void)[] = [(point) => points.push(point)];
  const running = new Set<Client>();
  atEnd(async () => {
    for (const client of running) await client.stop();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    root,
    home,
    work,
    log,
    points,
    onPoint: (look) => lookers.push(look),
    configure(path, text) {
      mkdirSync(dirname(join(configDir, path)), { recursive: true });
      writeFileSync(join(configDir, path), text);
    },
    async start(more = {}, backend, options = {}) {
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: root,
        TURNOUT_DEMO_SPEED: '10',
        TURNOUT_HOME: home,
        CONFIG_DIR: configDir,
        WORKING_DIR: work,
        BACKEND_CLI_PATH: demoAgent,
        HTTP_PORT: '0',
        HTTP_MAX_REQUESTS_PER_MINUTE: '0',
        HTTP_TOKEN: 'a-token-for-the-tests',
        RETRY_DELAY_MS: '50',
        // Several processes of git for each turn: the tests about them switch it on.
        WORK_TREE_CHANGES: '0',
        SHUTDOWN_GRACE_MS: '0',
        ...settings,
        ...more,
      };
      const gateway = await Gateway.start({
        ...options,
        config: loadConfig(env),
        env,
        backend,
        pageDirectory,
        ...options,
        log: createLog('debug', (line) => log.push(JSON.parse(line))),
        watch: (point) => {
          for (const look of lookers) look(point);
        },
      });
      const client = new Client(gateway);
      running.add(client);
      return client;
    },
  };
}

export interface EventView {
  readonly eventId: string;
  readonly state: string;
  readonly responseText?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly attempts: number;
}

export interface MessageView {
  readonly id: string;
  readonly eventId?: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly createdAt: string;
  readonly text: string;
  readonly backend?: string;
}

/** A client of the gateway's HTTP interface. */
export class Client {
  readonly gateway: Gateway;

  constructor(gateway: Gateway) {
    this.gateway = gateway;
  }

  async call(
    path: string,
    init: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<unknown> {
    const { host, port } = this.gateway.address;
    const response = await fetch(`http://${host}:${port}${path}`, {
      method: init.body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: 'Bearer a-token-for-the-tests',
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
    const body = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Posts a message and returns the event's id. */
  async post(channel: string, text: string, key?: string): Promise<string> {
    return (await this.postFully(channel, text, key)).eventId;
  }

  async postFully(channel: string, text: string, key?: string): Promise<EventView> {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return (await this.call(`/v1/channels/${channel}/messages`, { body: { text }, headers })) as EventView;
  }

  async event(id: string): Promise<EventView> {
    return (await this.call(`/v1/events/${id}`)) as EventView;
  }

  /** Waits until the event has ended. */
  async ended(id: string): Promise<EventView> {
    return (await this.call(`/v1/events/${id}?wait=50`)) as EventView;
  }

  async ask(channel: string, text: string): Promise<EventView> {
    return this.ended(await this.post(channel, text));
  }

  async messages(channel: string): Promise<readonly MessageView[]> {
    const page = (await this.call(`/v1/channels/${channel}/messages?limit=500`)) as {
      messages: MessageView[];
    };
    return page.messages;
  }

  /** Waits until the event is in this state. */
  async until(id: string, state: string): Promise<void> {
    await eventually(async () => (await this.event(id)).state === state);
  }

  async interrupt(channel: string): Promise<boolean> {
    return ((await this.call(`/v1/channels/${channel}/interrupt`, { body: {} })) as { interrupted: boolean })
      .interrupted;
  }

  stop(): Promise<void> {
    return this.gateway.stop('the test is over');
  }
}

export async function eventually(
  look: () => boolean | Promise<boolean>,
  timeoutMs = patience.timeout,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    if (await look()) return;
    // A look is often a request: more of them would take more time than what they wait for.
    await new Promise((resolve) => setTimeout(resolve, patience.interval));
  }
  throw new Error(`It didn't happen within ${timeoutMs} ms: ${look}`);
}
