import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.js';
import type { ModelApi } from './api.js';
import { gemini } from './gemini.js';
import { asObject, type JsonObject, parseJsonText } from './json.js';
import { openAiChat } from './openai-chat.js';
import { openAiResponses } from './openai-responses.js';
import { play } from './play.js';
import { type ModelRequest, type RequestContent, requestContent } from './request.js';
import { type Reply, replyChooser, type Script } from './script.js';
import { type Arrival, type SideJson, sideAnswer, sideKind } from './side-requests.js';

export interface ScriptedModelOptions {
  /** The script. Default: every turn is answered with `ok`. */
  readonly script?: Script;
  /** Answers a side request instead of the built-in answer; `undefined` leaves it to the built-in one. */
  readonly side?: (request: ModelRequest) => Reply | undefined;
  /** The number of requests to keep, newest last. Default 1000. */
  readonly remember?: number;
  readonly port?: number;
}

/** A model that follows a script, on 127.0.0.1, for any CLI that can be pointed at a base URL. */
export interface ScriptedModel {
  /** `http://127.0.0.1:PORT`; OpenAI's base URL is this with `/v1`. */
  readonly url: string;
  readonly port: number;
  /** All requests, also those that are no turns. */
  readonly requests: readonly ModelRequest[];
  /** The turns of conversations only. */
  readonly turns: readonly ModelRequest[];
  /** Replaces the script from the next turn request on. */
  use(script: Script): void;
  /** Resolves with the `count`th turn request (from 1) once it has come in. */
  turn(count: number, options?: { readonly signal?: AbortSignal }): Promise<ModelRequest>;
  /** Forgets the requests so far; `turn()` counts from 1 again. */
  forget(): void;
  /** While `during` runs, connections to this server's port are refused. */
  refuse<T>(during: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const server = new ModelServer(options);
  await server.listen(options.port ?? 0);
  return server;
}

/** Returns the URL of a port where nothing listens: it was bound a moment ago and released. */
export async function refusedUrl(): Promise<string> {
  const server = new ModelServer({});
  await server.listen(0);
  await server.close();
  return server.url;
}

const apis: readonly ModelApi[] = [anthropic, openAiResponses, openAiChat, gemini];
const nothing: RequestContent = requestContent({ model: '', stream: false, messages: [], tools: [] });

class ModelServer implements ScriptedModel {
  readonly #server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 });
  readonly #closing = new AbortController();
  readonly #requests: ModelRequest[] = [];
  readonly #side: NonNullable<ScriptedModelOptions['side']>;
  readonly #remember: number;
  readonly #waiting = new Set<() => void>();
  #chooseReply: ReturnType<typeof replyChooser>;
  #count = 0;
  #port = 0;

  constructor(options: ScriptedModelOptions) {
    this.#chooseReply = replyChooser(options.script ?? ['ok']);
    this.#side = options.side ?? (() => undefined);
    this.#remember = options.remember ?? 1000;
    this.#server.on('request', (request, response) => {
      this.#handle(request, response).catch((error: unknown) => response.destroy(asError(error)));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  get requests(): readonly ModelRequest[] {
    return this.#requests;
  }

  get turns(): readonly ModelRequest[] {
    return this.#requests.filter((request) => request.side === undefined);
  }

  use(script: Script): void {
    this.#chooseReply = replyChooser(script);
  }

  forget(): void {
    this.#requests.length = 0;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async turn(count: number, options: { readonly signal?: AbortSignal } = {}): Promise<ModelRequest> {
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    for (;;) {
      const found = this.turns[count - 1];
      if (found !== undefined) return found;
      await this.#nextRequest(signal);
    }
  }

  async refuse<T>(during: () => Promise<T>): Promise<T> {
    await this.#stopListening();
    try {
      return await during();
    } finally {
      await this.listen(this.#port);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The scripted model was closed'));
    await this.#stopListening();
  }

  async #stopListening(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #nextRequest(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(arrived);
        reject(signal.reason);
      };
      const arrived = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      this.#waiting.add(arrived);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('The client went away')));
    const signal = AbortSignal.any([left.signal, this.#closing.signal]);
    const { request, arrival, api } = this.#record(incoming, await readBody(incoming));
    try {
      const reply = await this.#replyTo(request, arrival);
      if (api === undefined || isJson(reply)) {
        sendJson(response, isJson(reply) ? reply : { status: 404, json: {} });
        request.outcome = 'answered';
        return;
      }
      const ids = { answer: `scripted_${request.index}`, created: Math.floor(Date.now() / 1000) };
      request.outcome = await play(reply, { api, request, path: request.path, ids, response, signal });
      if (request.outcome === 'hanging') {
        signal.addEventListener('abort', () => abandon(request), { once: true });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      abandon(request);
    }
  }

  #record(
    incoming: IncomingMessage,
    rawBody: string,
  ): { request: ModelRequest; arrival: Arrival; api: ModelApi | undefined } {
    const method = incoming.method ?? '';
    const path = incoming.url ?? '/';
    const body: JsonObject = asObject(parseJsonText(rawBody));
    const api = method === 'POST' ? apis.find((candidate) => candidate.path.test(pathname(path))) : undefined;
    const content = api?.read(body, path) ?? nothing;
    const arrival: Arrival = { api: api?.name, method, path, body, content };
    const request: ModelRequest = {
      index: this.#count++,
      api: api?.name,
      method,
      path,
      headers: headersOf(incoming),
      rawBody,
      body,
      ...content,
      side: sideKind(arrival),
      outcome: 'pending',
    };
    this.#requests.push(request);
    if (this.#requests.length > this.#remember) this.#requests.shift();
    for (const arrived of this.#waiting) arrived();
    this.#waiting.clear();
    return { request, arrival, api };
  }

  #replyTo(request: ModelRequest, arrival: Arrival): Reply | SideJson | Promise<Reply> {
    if (request.side !== undefined) return this.#side(request) ?? sideAnswer(request.side, arrival);
    return this.#scriptedReply(request);
  }

  /** If a script throws, the message reaches the CLI's own error as a 400, which no CLI retries for long. */
  async #scriptedReply(request: ModelRequest): Promise<Reply> {
    try {
      return await this.#chooseReply(request);
    } catch (error) {
      return { status: 400, message: `The script threw: ${asError(error).message}` };
    }
  }
}

function abandon(request: ModelRequest): void {
  request.outcome = 'abandoned';
}

function isJson(reply: Reply | SideJson): reply is SideJson {
  return typeof reply === 'object' && 'json' in reply;
}

function sendJson(response: ServerResponse, reply: SideJson): void {
  response.writeHead(reply.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(reply.json));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : `${value}`,
    ]),
  );
}

function pathname(path: string): string {
  return path.split('?', 1)[0] ?? path;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
