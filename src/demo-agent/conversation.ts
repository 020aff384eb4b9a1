import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PastTurn } from './step.js';

const maxTurns = 100;
const maxTurnChars = 4000;
const maxSystemPromptChars = 1024 * 1024;

export interface Conversation {
  readonly id: string;
  readonly turns: readonly PastTurn[];
  /** The system prompt of the first turn. Claude repeats it in later ones, unless its snapshot is off. */
  readonly systemPrompt?: string;
}

/** Returns the conversation with one turn more. Its length is bounded, in memory as in the file. */
export function withTurn(conversation: Conversation, turn: PastTurn): Conversation {
  return { ...conversation, turns: [...conversation.turns, shorten(turn)].slice(-maxTurns) };
}

/** Stores the conversations of a working directory as files. As with Claude, others don't see them. */
export class ConversationFiles {
  readonly #directory: string;

  constructor(home: string, cwd: string) {
    const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
    this.#directory = join(home, 'demo-agent', hash);
  }

  async load(id: string): Promise<Conversation | undefined> {
    try {
      const stored: unknown = JSON.parse(await readFile(this.#path(id), 'utf8'));
      const { systemPrompt } = (stored ?? {}) as { systemPrompt?: unknown };
      return { id, turns: turnsIn(stored), ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}) };
    } catch {
      // If the file is missing, unreadable or not JSON, there is no conversation to go on with.
      return undefined;
    }
  }

  /**
   * Writes a file that only its owner can read, and that nobody sees half written. If the home can't be
   * written, only the memory is lost.
   */
  async save(conversation: Conversation): Promise<void> {
    const path = this.#path(conversation.id);
    const draft = `${path}.${process.pid}.${randomUUID()}.tmp`;
    const { id, turns, systemPrompt = '' } = conversation;
    const snapshot = systemPrompt.length > maxSystemPromptChars ? {} : { systemPrompt };
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await chmod(dirname(this.#directory), 0o700);
      await writeFile(draft, JSON.stringify({ id, turns, ...snapshot }), { mode: 0o600 });
      await rename(draft, path);
    } catch {
      await rm(draft, { force: true }).catch(() => undefined);
    }
  }

  #path(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}

export function isUuid(id: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
}

function shorten({ prompt, answer }: PastTurn): PastTurn {
  return { prompt: prompt.slice(0, maxTurnChars), answer: answer.slice(0, maxTurnChars) };
}

function turnsIn(stored: unknown): readonly PastTurn[] {
  const turns = (stored as { turns?: unknown } | null)?.turns;
  return Array.isArray(turns) ? turns.filter(isPastTurn) : [];
}

function isPastTurn(turn: unknown): turn is PastTurn {
  const { prompt, answer } = (turn ?? {}) as Partial<Record<keyof PastTurn, unknown>>;
  return typeof prompt === 'string' && typeof answer === 'string';
}
