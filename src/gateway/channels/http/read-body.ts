import type * as z from 'zod';
import { HttpProblem } from './problem.js';

/** The request's JSON, checked by its schema. Rejects with all problems, each with the field's name. */
export async function readBody<T>(request: Request, schema: z.ZodType<T>, maxBytes: number): Promise<T> {
  checkMediaType(request.headers);
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0)
    throw new HttpProblem('bad_request', 'The body is empty: a JSON object is expected.');
  return checked(bytes, schema);
}

/** The same for a body that need not be there. */
export async function readOptionalBody<T>(
  request: Request,
  schema: z.ZodType<T>,
  maxBytes: number,
): Promise<T | undefined> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  checkMediaType(request.headers);
  return checked(bytes, schema);
}

function checked<T>(bytes: Buffer, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new HttpProblem('bad_request', parsed.error.issues.map(describeIssue).join('; '));
}

/** How a schema of bodies says that something else than an object came. */
export const objectExpected = {
  error: (issue: { readonly code?: string | undefined }) =>
    issue.code === 'invalid_type' ? 'a JSON object is expected' : undefined,
};

/** The defaults of fetch and of `curl -d` say nothing about the body. */
const unspecificTypes = ['', 'text/plain', 'application/x-www-form-urlencoded'];

function checkMediaType(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (
    !unspecificTypes.includes(type) &&
    type !== 'application/json' &&
    !/^application\/[^/]+\+json$/.test(type)
  ) {
    throw unsupported(`Content-Type is ${type}`);
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) throw unsupported(`The charset is ${charset}`);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw unsupported(`Content-Encoding is ${encoding}`);
}

function unsupported(what: string): HttpProblem {
  return new HttpProblem(
    'unsupported_media_type',
    `${what}: send plain JSON in UTF-8, with "Content-Type: application/json".`,
  );
}

async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  try {
    // Node's parser enforces a declared length. Without one, the bytes are counted as they come.
    if (declared !== null) return Buffer.from(await request.arrayBuffer());
    return await readCounted(request.body, maxBytes);
  } catch (cause) {
    if (cause instanceof HttpProblem) throw cause;
    throw new HttpProblem('bad_request', 'The request ended before its body was complete.', { cause });
  }
}

async function readCounted(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem('too_large', `The body is larger than ${maxBytes} bytes.`);
}

function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HttpProblem('bad_request', 'The body is not valid UTF-8.', { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HttpProblem('bad_request', `The body is not valid JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => JSON.stringify(key)).join(', ');
    return `unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${names}`;
  }
  const where = issue.path.length === 0 ? 'the body' : `"${issue.path.join('.')}"`;
  return `${where}: ${issue.message}`;
}
