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
const maxFileBytes = 1024 * 1024;
/** A message has 2000 characters at most. */
const maxBody = 1500;
/** What stands besides has its own place, so that a long command can't push it out of the message. */
const maxAlso = 400;
/** In the title; a longer name stands besides. */
const maxTool = 60;
const maxCwd = 150;

export type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

/**
 * What an agent wants to do, with a button for each answer that it takes. Without an answer it is denied at `deniedAt`. What can't
 * be shown whole, in the message or in its file, can only be denied here.
 */
export function permissionMessage(
  permission: StoredPermission,
  preview: PermissionPreview | undefined,
  { deniedAt, takesFiles = true }: MessageOptions = {},
): PermissionMessage {
  const { text, language } = whatWouldBeDone(permission, preview);
  const besideText = besides(permission, preview).join('\n');
  const fits = text.length + besideText.length <= maxFileBytes;
  // What is too long is cut before it is worked on.
  const readable = (part: string) => forFence(fits ? part : excerpt(part, 2 * maxBody).text);
  const [shown, also, all] = [readable(text.trimEnd()), readable(besideText), alwaysAllowed(permission)];
  const more = excerpt(also, maxAlso);
  const whole = also === '' ? shown : `${shown}\n\n${also}`;
  const isLong = more.isCut || shown.length > maxBody - all.length - more.text.length;
  const data = isLong && fits && takesFiles ? new TextEncoder().encode(whole) : undefined;
  const hasFile = data !== undefined && data.length <= maxFileBytes;
  const isShown = fits && (hasFile || !isLong) && !isCutBefore(permission, preview);
  const always = isShown ? all : '';
  const body = excerpt(shown, maxBody - always.length - more.text.length).text;
  const where =
    preview?.type === 'command' && preview.cwd !== undefined ? ` in ${inlineCode(preview.cwd, maxCwd)}` : '';
  const file = hasFile && isShown ? `\nAll ${count(whole.length)} characters of it are in the file.` : '';
  const rest = isShown ? file : `\n${onlyDenied}`;
  const beside = also === '' ? '' : `\n${alsoHead}\n${fenced(more.text)}`;
  const what = inlineCode(permission.tool, maxTool) || 'a tool';
  const offered = buttons(permission, isShown);
  return {
    content: `**May I use ${what}${where}?**\n${fenced(body, language)}${beside}${rest}${deadline(deniedAt)}${always}`,
    components: offered.length === 0 ? [] : [{ type: 1, components: offered }],
    files: hasFile ? [{ name: 'request.txt', data }] : [],
  };
}

interface MessageOptions {
  readonly deniedAt?: number | undefined;
  /** False if Discord has refused the file. */
  readonly takesFiles?: boolean;
}

/** True if something of it was left out before it came here. */
function isCutBefore({ inputLeftOut }: StoredPermission, preview: PermissionPreview | undefined): boolean {
  return inputLeftOut === true || (preview?.type === 'edit' && preview.files.some(({ left }) => left));
}

/** What the preview does not say: where files lead to, how much of them is left out, and the fields that it makes no use of. */
function besides(
  { tool, input }: StoredPermission,
  preview: PermissionPreview | undefined,
): readonly string[] {
  const name = tool.length > maxTool ? [`tool: ${tool}`] : [];
  if (preview === undefined) return name;
  const files = preview.type === 'edit' ? preview.files.flatMap(notesOn) : [];
  const cwd = preview.type === 'command' ? preview.cwd : undefined;
  const place = cwd !== undefined && cwd.length > maxCwd ? [`directory: ${cwd}`] : [];
  return [
    ...name,
    ...place,
    ...files,
    ...unshownFields(tool, input).map(({ name, value }) => `${name}: ${printJson(value)}`),
  ];
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
const onlyDenied = `${smallMark}Not all of it can be shown here: here it can only be denied. The page has more.`;
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
    return `**Not needed any more**, the turn has ended or asks anew: ${what}`;
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
  return `${what}\n${body.slice(0, always < 0 ? undefined : always).replace(/(?:\n-# [^\n]*)+$/, '')}`;
}

function summaryOf({ tool, input }: StoredPermission): string {
  const summary = inlineCode(summarizeExactly(tool, input), 300);
  return `${inlineCode(tool, 60)}${summary === '' ? '' : ` ${summary}`}`;
}

export const verdicts = { allow: 'Allowed', allow_always: 'Always allowed', deny: 'Denied' } as const;

const labels = { allow: 'Allow', allow_always: 'Always', deny: 'Deny' } as const;
/** Discord's numbers: green, grey, red. */
const styles = { allow: 3, allow_always: 2, deny: 4 } as const;

function buttons({ id, options }: StoredPermission, isShown: boolean): APIButtonComponentWithCustomId[] {
  return (['allow', 'allow_always', 'deny'] as const)
    .filter((decision) => options.includes(decision) && (isShown || decision === 'deny'))
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
