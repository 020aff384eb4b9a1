import type { APIActionRowComponent, APIButtonComponentWithCustomId } from 'discord.js';
import { count } from '../../../../core/format.js';
import { printJson } from '../../../../core/json.js';
import { isTimeout } from '../../../../core/permission-timeout.js';
import { summarizeExactly, unshownFields } from '../../../../core/tool-input.js';
import type { StoredPermission } from '../../../../store/rows.js';
import type { FilePreviewView } from '../../http/wire.js';
import type { PermissionPreview } from '../../lookups.js';
import type { OutgoingFile } from '../discord-api.js';
import { excerpt, fenced, forFence, inlineCode } from '../markdown/code.js';
import { customId } from './custom-id.js';

export interface PermissionMessage {
  readonly content: string;
  readonly components: ButtonRow[];
  /** All of it, if it is too long for the message. */
  readonly files: readonly OutgoingFile[];
}

/** An input may have 32 MiB: nobody reads that, and it would hold up everything else. */
const maxFile = 200_000;
/** A message has 2000 characters at most. */
const maxBody = 1500;
/** What stands besides has its own place, so that a long command can't push it out of the message. */
const maxAlso = 400;

export type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

/** What an agent wants to do, with a button for each answer that it takes. Without an answer it is denied at `deniedAt`. */
export function permissionMessage(
  permission: StoredPermission,
  preview: PermissionPreview | undefined,
  deniedAt?: number,
): PermissionMessage {
  const { text, language } = whatWouldBeDone(permission, preview);
  const shown = forFence(excerpt(text.trimEnd(), maxFile).text);
  const also = forFence(excerpt(besides(permission, preview).join('\n'), maxFile).text);
  const always = alwaysAllowed(permission);
  const more = excerpt(also, maxAlso);
  const { text: body, isCut } = excerpt(shown, maxBody - always.length - more.text.length);
  const where =
    preview?.type === 'command' && preview.cwd !== undefined ? ` in ${inlineCode(preview.cwd, 150)}` : '';
  const whole = also === '' ? shown : `${shown}\n\n${also}`;
  const isLong = isCut || more.isCut;
  const rest = isLong ? `\nAll ${count(whole.length)} characters of it are in the file.` : '';
  const beside = also === '' ? '' : `\n${alsoHead}\n${fenced(more.text)}`;
  const what = inlineCode(permission.tool, 60) || 'a tool';
  return {
    content: `**May I use ${what}${where}?**\n${fenced(body, language)}${beside}${rest}${deadline(deniedAt)}${always}`,
    components: [{ type: 1, components: buttons(permission) }],
    files: isLong ? [{ name: 'request.txt', data: new TextEncoder().encode(whole) }] : [],
  };
}

/** What the preview does not say: where files lead to, how much of them is left out, and the fields that it makes no use of. */
function besides(
  { tool, input }: StoredPermission,
  preview: PermissionPreview | undefined,
): readonly string[] {
  if (preview === undefined) return [];
  const files = preview.type === 'edit' ? preview.files.flatMap(notesOn) : [];
  return [...files, ...unshownFields(tool, input).map(({ name, value }) => `${name}: ${printJson(value)}`)];
}

function notesOn({ path, leadsTo, outside, left }: FilePreviewView): readonly string[] {
  const to = leadsTo === undefined ? '' : ` leads to ${leadsTo}`;
  return [
    ...(outside
      ? [`${path}${to}: outside of the directory that the turn works in`]
      : to === ''
        ? []
        : [path + to]),
    ...(left === undefined ? [] : [`${path}: ${count(left)} more characters are not shown`]),
  ];
}

function deadline(deniedAt: number | undefined): string {
  return deniedAt === undefined
    ? ''
    : `\n${smallMark}Denied if nobody answers: <t:${Math.floor(deniedAt / 1000)}:R>.`;
}

/** All that "always" would allow: it is the end of the message. */
function alwaysAllowed({ options, always }: StoredPermission): string {
  if (always === undefined || !options.includes('allow_always')) return '';
  return `\n${alwaysHead}\n${fenced(forFence(always))}`;
}

const smallMark = '-# ';
const alsoHead = `${smallMark}Also:`;
const alwaysHead = `${smallMark}“Always” allows, until the agent’s session ends:`;

/**
 * The same message when it has been answered, or nobody has to answer it any more. What was `asked` stays: a preview that is made
 * now would show the files as they are now.
 */
export function settledMessage(
  permission: StoredPermission,
  by: string | undefined,
  asked?: string | undefined,
): string {
  const what = (asked === undefined ? undefined : keptOf(asked)) ?? summaryOf(permission);
  const { decision, state, createdAt, decidedAt = createdAt, message } = permission;
  if (state !== 'decided' || decision === undefined)
    return `**Not needed any more**, the turn has ended: ${what}`;
  if (by !== undefined) return `**${verdicts[decision]}** by <@${by}>: ${what}`;
  if (decision === 'deny' && message !== undefined && isTimeout(message))
    return `**Denied**, nobody answered in ${minutes(decidedAt - createdAt)}: ${what}`;
  return `**${verdicts[decision]}**: ${what}`;
}

/** The message without its question and its small print. Undefined if it is none of ours. */
function keptOf(asked: string): string | undefined {
  const [, what, body] = /^\*\*May I use (.+)\?\*\*\n([\s\S]*)$/.exec(asked) ?? [];
  if (body === undefined) return undefined;
  const always = body.lastIndexOf(`\n${alwaysHead}\n`);
  return `${what}\n${body.slice(0, always < 0 ? undefined : always).replace(/\n-# [^\n]*$/, '')}`;
}

function summaryOf({ tool, input }: StoredPermission): string {
  const summary = inlineCode(summarizeExactly(tool, input), 300);
  return `${inlineCode(tool, 60)}${summary === '' ? '' : ` ${summary}`}`;
}

export const verdicts = { allow: 'Allowed', allow_always: 'Always allowed', deny: 'Denied' } as const;

const labels = { allow: 'Allow', allow_always: 'Always', deny: 'Deny' } as const;
/** Discord's numbers: green, grey, red. */
const styles = { allow: 3, allow_always: 2, deny: 4 } as const;

function buttons({ id, options }: StoredPermission): APIButtonComponentWithCustomId[] {
  return (['allow', 'allow_always', 'deny'] as const)
    .filter((decision) => options.includes(decision))
    .map((decision) => ({
      type: 2,
      style: styles[decision],
      label: labels[decision],
      custom_id: customId({ type: 'decide', permissionId: id, decision }),
    }));
}

function whatWouldBeDone(
  { input }: StoredPermission,
  preview: PermissionPreview | undefined,
): { readonly text: string; readonly language: string } {
  if (preview?.type === 'command') return { text: preview.command, language: 'sh' };
  if (preview?.type === 'edit') return { text: preview.files.map(diffOf).join('\n'), language: 'diff' };
  return { text: printJson(input), language: 'json' };
}

/** A diff names its file itself, if there is anything to show. */
function diffOf({ path, diff }: { readonly path: string; readonly diff: string }): string {
  const shown = diff.trimEnd();
  return /^\+\+\+ /m.test(shown) ? shown : `${path}\n${shown}`.trimEnd();
}

function minutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const whole = Math.round(seconds / 60);
  return whole === 1 ? '1 minute' : `${count(whole)} minutes`;
}
