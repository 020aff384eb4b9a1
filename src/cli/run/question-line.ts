import type { PermissionRequestEvent } from '../../core/chat-event.js';
import { printJson } from '../../core/json.js';
import { wholeLine, wholeLines } from '../../core/whole-lines.js';

/** What is asked, whole and in one line, in which nothing can hide and no long blank space pushes the rest out of sight. */
export function questionLine({ tool, input }: Pick<PermissionRequestEvent, 'tool' | 'input'>): string {
  // A name that is none is quoted, so that it can't pass for the words around it.
  const name = /^[\w.:/-]+$/.test(tool) ? tool : printJson(tool, folded);
  return wholeLine(`the agent wants to use ${name}: ${printJson(input, folded)}`);
}

/** Told before it is JSON, in which an empty line is a `\n` that can be seen. */
function folded(_: string, value: unknown): unknown {
  return typeof value === 'string' ? wholeLines(value).join('\n') : value;
}
