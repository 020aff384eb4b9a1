import type { PermissionDecision } from '../../core/chat-event.js';
import { isQuestionId, shortQuestionId } from '../../core/question-id.js';
import { type Asked, askedFor } from '../../core/question-text.js';
import { exact } from '../../core/text.js';
import type { StoredPermission } from '../../store/rows.js';

/** What /allow or /deny does: it answers a question, or says why it does not. */
export type QuestionAnswer =
  | {
      readonly type: 'decide';
      readonly question: StoredPermission;
      readonly decision: PermissionDecision;
      readonly message?: string | undefined;
    }
  | { readonly type: 'refuse'; readonly text: string };

/**
 * Reads `/allow [id] [always]` and `/deny [id] [reason]`. The questions are those that wait in the channel: with one of them no id
 * is needed.
 */
export function answerQuestion(
  name: 'allow' | 'deny',
  argument: string,
  open: readonly StoredPermission[],
): QuestionAnswer {
  const [only, ...others] = open;
  if (only === undefined) return refuse('Nothing waits for a permission here.');
  const words = argument === '' ? [] : argument.split(/\s+/);
  const isAlways = name === 'allow' && words.at(-1)?.toLowerCase() === 'always';
  const [first = '', ...rest] = isAlways ? words.slice(0, -1) : words;
  const named = open.filter(({ id }) => isQuestionId(first, id));
  if (named.length > 1) return refuse(`Several questions begin with ${first}:\n${listed(named)}`);
  const [meant] = named;
  // A reason may begin with any word, but with none that can only be an id.
  if (meant === undefined && (looksLikeId(first) || (name === 'allow' && first !== '')))
    return refuse(
      `No question ${JSON.stringify(first.slice(0, 80))} waits here, and nothing was done:\n${listed(open)}`,
    );
  if (meant !== undefined && name === 'allow' && rest.length > 0)
    return refuse('/allow takes an id, and perhaps "always", behind it: nothing was done.');
  const question = meant ?? only;
  if (meant === undefined && others.length > 0)
    return refuse(`${open.length} questions wait: /${name} <id> answers one of them.\n${listed(open)}`);
  const decision = name === 'deny' ? 'deny' : isAlways ? 'allow_always' : 'allow';
  if (!question.options.includes(decision))
    return refuse(`This can't be answered with ${decision}: choose ${question.options.join(', ')}.`);
  if (name === 'allow' && question.inputLeftOut)
    return refuse(
      `${shortQuestionId(question.id)} is too long to be shown here, and nothing was done: allow it where all of it is shown.`,
    );
  const reason =
    name === 'allow' ? '' : (meant === undefined ? argument : argument.slice(first.length)).trim();
  return { type: 'decide', question, decision, message: reason === '' ? undefined : reason };
}

/** `3f2a91c0  Bash: rm -rf build`, and below it all that "always" would allow. */
export function questionLine(question: StoredPermission): string {
  const { id, options } = question;
  const always = options.includes('allow_always') ? alwaysAllowed(question) : '';
  const shortId = shortQuestionId(id);
  return `${shortId}  ${literally(askedFor(asked(question), `turnout permissions show ${shortId}`))}${always}`;
}

export function decidedText(question: StoredPermission, decision: PermissionDecision): string {
  const always = decision === 'allow_always' ? alwaysAllowed(question) : '';
  return `${verdicts[decision]}: ${literally(askedFor(asked(question)))}${always}`;
}

function alwaysAllowed({ always }: StoredPermission): string {
  if (always === undefined) return '';
  const rules = exact(always).split('\n');
  return rules.map((rule) => `\n  always: ${literally(rule)}`).join('');
}

/** Replies are Markdown where a face knows it: `||` would hide a part of a command there, and `*` would be gone. */
function literally(line: string): string {
  return /^[\w .,:/()+-]*$/.test(line) && !/_|:\/\//.test(line)
    ? line
    : `\`${line.replaceAll('`', '[U+0060]')}\``;
}

const verdicts = { allow: 'Allowed', allow_always: 'Allowed from now on', deny: 'Denied' } as const;

function asked({ tool, input, inputLeftOut }: StoredPermission): Asked {
  return { tool, input, isLeftOut: inputLeftOut };
}

function listed(questions: readonly StoredPermission[]): string {
  const shown = questions.slice(0, maxListed).map(questionLine);
  return [...shown, ...(questions.length > maxListed ? ['…'] : [])].join('\n');
}

const maxListed = 10;

function looksLikeId(word: string): boolean {
  return /^prm_/i.test(word) || /^[0-9a-f]{8}(-|$)/i.test(word);
}

function refuse(text: string): QuestionAnswer {
  return { type: 'refuse', text };
}
