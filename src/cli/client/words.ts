import { oneLine } from '../../core/one-line.js';
import { summarizeToolInput } from '../../core/tool-input.js';
import type { PermissionView } from '../../gateway/channels/http/wire.js';

/** `[Bash] npm test` */
export function toolLine(name: string, input: unknown): string {
  return `[${oneLine(name, 60)}] ${summarizeToolInput(name, input)}`.trimEnd();
}

/** What is asked, and how to answer it. */
export function questionLine(question: PermissionView): string {
  return `${askedFor(question)}\n\`turnout permissions allow ${shortId(question.id)}\` (or deny) answers it.`;
}

/** `Bash: rm -rf build` */
export function askedFor({ tool, input, shortened }: PermissionView): string {
  const summary = summarizeToolInput(tool, input);
  const more = shortened && summary === '' ? 'too long for this line' : summary;
  const name = oneLine(tool, 60);
  return more === '' ? name : `${name}: ${more}`;
}

/** As much of an id as a person types: `prm_3f2a91c0-…` is `3f2a91c0`. */
export function shortId(id: string): string {
  return /^prm_([0-9a-f]{8})-/.exec(id)?.[1] ?? id;
}
