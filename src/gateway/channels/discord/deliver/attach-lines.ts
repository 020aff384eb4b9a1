import { basename } from 'node:path';
import type { DiscordPieceFile } from '../../../../store/discord/pieces.js';
import { safeNames } from '../safe-name.js';

/** Discord takes ten files a message; one place is for the answer itself, if it is long. */
export const maxFiles = 9;

/** What an agent in Discord is told: a part of its system prompt. */
export const attachInstructions =
  'To attach a file that you made, write a line of its own: [attach: path/to/file] with a path ' +
  `inside the working directory. At most ${maxFiles} files, 9 MB together; no hidden files.`;

export interface AttachLines {
  /** The answer without the lines. */
  readonly text: string;
  readonly files: readonly DiscordPieceFile[];
}

/** Finds the lines `[attach: path]` of an answer. In a code block they are code. */
export function takeAttachLines(answer: string): AttachLines {
  if (!answer.includes('[attach:')) return { text: answer, files: [] };
  const kept: string[] = [];
  const paths = new Set<string>();
  let fence: string | undefined;
  for (const line of answer.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    const path = fence === undefined ? attachLine.exec(line)?.[1]?.trim() : undefined;
    if (path === undefined || (!paths.has(path) && paths.size === maxFiles)) kept.push(line);
    else paths.add(path);
  }
  const names = safeNames(Array.from(paths, (path) => basename(path)));
  return {
    text: kept.join('\n'),
    files: Array.from(paths, (path, index) => ({ name: names[index] ?? 'file', path })),
  };
}

const attachLine = /^\s*\[attach:([^\]\0]{1,1000})\]\s*$/;
