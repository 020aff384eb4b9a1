import { createHash } from 'node:crypto';
import type { PromptRecord } from '../../store/rows.js';
import { cutMark, cutText, grouped } from './cut-text.js';
import { defaultPromptLimits, type PromptLimits } from './limits.js';
import type { ChannelConfig, PromptPart } from './markdown-config-loader.js';

export interface AssembledPrompt {
  /** Empty if no file has any text. */
  readonly text: string;
  readonly record: Omit<PromptRecord, 'seededMessages'>;
}

/**
 * Makes one system prompt out of a channel's files, and of what its kind says about it. The same files give the same text, without a date or the like: a
 * changed system prompt costs a warm process its restart.
 */
export class SystemPromptAssembler {
  readonly #maxBytes: number;

  constructor(limits: Partial<PromptLimits> = {}) {
    this.#maxBytes = limits.totalBytes ?? defaultPromptLimits.totalBytes;
  }

  /** `place` stands behind the files, and is never cut. */
  assemble(config: ChannelConfig, place?: string): AssembledPrompt {
    const spoken = config.parts.filter(({ text }) => text !== '');
    const whole = spoken.map(section).join(separator);
    const { text: files, cut } =
      Buffer.byteLength(whole) <= this.#maxBytes
        ? { text: whole, cut: new Set<PromptPart>() }
        : this.#cutToFit(spoken);
    const text = [files, ...(place === undefined ? [] : [`# Where you are\n\n${place}`])]
      .filter((part) => part !== '')
      .join(separator);
    return {
      text,
      record: {
        files: config.parts.map((part) => ({
          path: part.path,
          sha256: part.sha256,
          bytes: part.bytes,
          truncated: part.truncated || cut.has(part),
        })),
        characters: text.length,
        hash: createHash('sha256').update(text).digest('hex'),
      },
    };
  }

  /** The order of the files is their priority: the one at the limit is cut, those behind it are left out. */
  #cutToFit(parts: readonly PromptPart[]): { text: string; cut: Set<PromptPart> } {
    const cut = new Set<PromptPart>();
    const leftOut: string[] = [];
    const pieces: string[] = [];
    let room = this.#maxBytes - this.#roomForMarks(parts);
    for (const part of parts) {
      const piece = (pieces.length === 0 ? '' : separator) + section(part);
      const kept = leftOut.length > 0 || cut.size > 0 ? '' : cutText(piece, room);
      room -= Buffer.byteLength(kept);
      if (kept === piece) {
        pieces.push(piece);
        continue;
      }
      const ofText = Buffer.byteLength(kept) - Buffer.byteLength(piece) + Buffer.byteLength(part.text);
      // Bytes that are no UTF-8 in the file take more bytes in the text.
      const shown = Math.min(ofText, part.bytes);
      cut.add(part);
      if (shown > 0) pieces.push(`${kept}\n\n${cutMark(part.path, shown, part.bytes)}`);
      else leftOut.push(part.path);
    }
    if (leftOut.length > 0) pieces.push(separator + this.#leftOutMark(leftOut));
    return { text: cutText(pieces.join('').trim(), this.#maxBytes), cut };
  }

  #roomForMarks(parts: readonly PromptPart[]): number {
    const all = parts.map(({ path }) => path);
    const longest = Math.max(...parts.map(({ path, bytes }) => cutMark(path, bytes, bytes).length));
    return this.#leftOutMark(all).length + longest + 2 * separator.length;
  }

  #leftOutMark(paths: readonly string[]): string {
    return `[left out, because all files together may have ${grouped(this.#maxBytes)} bytes: ${paths.join(', ')}]`;
  }
}

const separator = '\n\n';

function section({ path, text }: PromptPart): string {
  return `# ${path}\n\n${text}`;
}
