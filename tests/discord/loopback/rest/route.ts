import type { IncomingMessage } from 'node:http';
import type { Json } from '../state/world.js';
import { ApiError } from './api-error.js';
import type { RateLimit } from './rate-limits.js';

export interface UploadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export interface Call {
  /** A parameter of the path; an empty string if the path has none of that name. */
  parameter(name: string): string;
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly files: readonly UploadedFile[];
}

/** Without a body, the answer is 204. */
export type Answer =
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array; readonly type?: string | undefined }
  | undefined;

export interface Route {
  /** Method and path, for example `POST /channels/:channel/messages`. */
  readonly name: string;
  /** The parameter whose every value has a rate limit of its own: the first one, if nothing is said. */
  readonly major?: string;
  readonly limit?: RateLimit;
  /** Needs no token: the path has a secret of its own, or is public. */
  readonly open?: true;
  run(call: Call): Answer;
}

export interface FoundRoute {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute | undefined {
  for (const route of routes) {
    const [routeMethod, pattern = ''] = route.name.split(' ');
    const parameters = routeMethod === method ? matchPath(pattern, path) : undefined;
    if (parameters) return { route, parameters };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(':')) parameters[part.slice(1)] = decodeURIComponent(given[i] ?? '');
    else if (part !== given[i]) return undefined;
  }
  return parameters;
}

export async function readBody(request: IncomingMessage): Promise<Pick<Call, 'body' | 'files'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { body: {}, files: [] };
  if (!type.startsWith('multipart/form-data')) return { body: parseJson(bytes.toString()), files: [] };
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const files: UploadedFile[] = [];
  for (const [key, value] of form) {
    if (typeof value === 'string') continue;
    if (!/^files\[\d+\]$/.test(key)) throw new ApiError(400, 50035, `Invalid Form Body: part ${key}`);
    const content = new Uint8Array(await value.arrayBuffer());
    files.push({ name: value.name, bytes: content, contentType: value.type });
  }
  return { body: parseJson(String(form.get('payload_json') ?? '{}')), files };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 50109, 'The request body contains invalid JSON.');
  }
}
