import { shortQuestionId } from '../../core/question-id.js';
import * as questions from '../../core/question-text.js';
import { exact, oneLine } from '../../core/text.js';
import { summarizeToolInput } from '../../core/tool-input.js';
import type { PermissionView } from '../../gateway/channels/http/wire.js';

/** `[Bash] npm test` */
export function toolLine(name: string, input: unknown): string {
  return `[${oneLine(name, 60)}] ${summarizeToolInput(name, input)}`.trimEnd();
}

/** What is asked, and how to answer it. */
export function questionLine(question: PermissionView, flags: string): string {
  return `${askedFor(question, flags)}\n\`turnout permissions allow ${shortQuestionId(question.id)}${flags}\` (or deny) answers it.`;
}

/** `Bash: rm -rf build`. With the flags that find the gateway it names the command that shows all, if that is not all. */
export function askedFor({ id, tool, input, shortened }: PermissionView, flags?: string): string {
  const asked = { tool, input, isLeftOut: shortened && input === null };
  const see = flags === undefined ? undefined : `turnout permissions show ${shortQuestionId(id)}${flags}`;
  return questions.askedFor(asked, see);
}

/** All that "always" would allow, if that is an answer. */
export function alwaysLines({ options, always, decision }: PermissionView): readonly string[] {
  if (always === undefined || decision !== undefined || !options.includes('allow_always')) return [];
  const rules = exact(always).split('\n');
  return ['“always” allows, until the session ends:', ...rules.map((rule) => `  ${rule}`)];
}
