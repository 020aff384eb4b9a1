import { isObject, type JsonObject, parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import { openRecord } from '../record/open-record.js';

/** The name of one of Gemini's chat files: `session-<minute>-<the id's first eight characters>.jsonl`. */
export interface ChatFileName {
  readonly minute: string;
  readonly shortId: string;
  readonly extension: string;
}

export function parseChatFileName(name: string): ChatFileName | undefined {
  const [, minute, shortId, extension] =
    /^session-(\d{4}-\d\d-\d\dT\d\d-\d\d)-(\w{8})\.(jsonl?)$/.exec(name) ?? [];
  if (minute === undefined || shortId === undefined || extension === undefined) return undefined;
  return { minute, shortId, extension };
}

export function chatFileName({ minute, shortId, extension }: ChatFileName): string {
  return `session-${minute}-${shortId}.${extension}`;
}

export interface ChatFile {
  /** Undefined if the file does not begin with it: Gemini can't load the file then. */
  readonly sessionId: string | undefined;
  /** A `stub` certainly holds nothing that a user or a model said. */
  readonly holds: 'conversation' | 'stub';
  /** The SHA-256 of the directory that the session is in. */
  readonly projectHash: string;
  /** `main` or `subagent`; older versions don't tell. */
  readonly kind: string;
}

/** A stub has a few kilobytes; of a larger file only the beginning is read. */
const mostBytes = 256 * 1024;

/** Undefined if the file can't be read: Gemini may just have deleted it. */
export async function readChatFile(path: string): Promise<ChatFile | undefined> {
  const file = await openRecord(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes + 1), 0, mostBytes + 1, 0);
    return describeChat(buffer.toString('utf8', 0, bytesRead), bytesRead <= mostBytes);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

function describeChat(content: string, whole: boolean): ChatFile {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  const records = lines.map(parseObject);
  // Older versions wrote one document over many lines.
  const first = records[0] ?? (whole ? parseObject(content) : undefined);
  const isStub = whole && records.every((record) => record !== undefined && saysNothing(record));
  return {
    sessionId: text(first?.['sessionId']) || undefined,
    holds: isStub ? 'stub' : 'conversation',
    projectHash: text(first?.['projectHash']),
    kind: text(first?.['kind']),
  };
}

const bookkeeping = new Set(['sessionId', 'projectHash', 'startTime', 'lastUpdated', 'kind', 'directories']);

/** True if the record holds at most Gemini's own first message, which it writes before anybody says anything. */
function saysNothing(record: JsonObject): boolean {
  return Object.entries(record).every(([key, value]) => {
    if (key === '$set') return isObject(value) && saysNothing(value);
    if (key !== 'messages') return bookkeeping.has(key);
    return Array.isArray(value) && value.every(isContext);
  });
}

function isContext(message: unknown): boolean {
  const { type, content } = object(message);
  const words = typeof content === 'string' ? [content] : objects(content).map((part) => text(part['text']));
  return (
    type === 'user' &&
    words.length === 1 &&
    /^\s*<session_context>[\s\S]*<\/session_context>\s*$/.test(words.join(''))
  );
}
