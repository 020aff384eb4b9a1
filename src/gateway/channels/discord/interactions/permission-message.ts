import type { APIActionRowComponent, APIButtonComponentWithCustomId } from 'discord.js';
import { count } from '../../../../core/format.js';
import { printJson } from '../../../../core/json.js';
import { summarizeToolInput } from '../../../../core/tool-input.js';
import type { StoredPermission } from '../../../../store/rows.js';
import type { PermissionPreview } from '../../lookups.js';
import type { OutgoingFile } from '../discord-api.js';
import { customId } from './custom-id.js';
import { excerpt, fenced, harmless, inlineCode } from './harmless.js';

export interface PermissionMessage {
  readonly content: string;
  readonly components: ButtonRow[];
  /** All of it, if it is too long for the message. */
  readonly files: readonly OutgoingFile[];
}

/** An input may have 32 MiB: nobody reads that, and it would hold up everything else. */
const maxFile = 200_000;

export type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

/** What an agent wants to do, with a button for each answer that it takes. */
export function permissionMessage(
  permission: StoredPermission,
  preview: PermissionPreview | undefined,
): PermissionMessage {
  const { text, language } = whatWouldBeDone(permission, preview);
  const shown = harmless(excerpt(text, maxFile).text);
  const { text: body, isCut } = excerpt(shown, 1500);
  const where =
    preview?.type === 'command' && preview.cwd !== undefined ? ` in ${inlineCode(preview.cwd, 150)}` : '';
  const rest = isCut ? `\nThe file has ${count(shown.length)} characters of it.` : '';
  return {
    content: `**May I use ${inlineCode(permission.tool, 60)}${where}?**\n${fenced(body, language)}${rest}`,
    components: [{ type: 1, components: buttons(permission) }],
    files: isCut ? [{ name: 'request.txt', data: new TextEncoder().encode(shown) }] : [],
  };
}

/** The same message when it has been answered, or nobody has to answer it any more. */
export function settledMessage(permission: StoredPermission, by: string | undefined): string {
  const { tool, input, decision, state } = permission;
  const summary = inlineCode(summarizeToolInput(tool, input), 300);
  const what = `${inlineCode(tool, 60)}${summary === '' ? '' : ` ${summary}`}`;
  if (state !== 'decided' || decision === undefined)
    return `**Not needed any more**: ${what}. The turn has ended.`;
  return `**${verdicts[decision]}**${by === undefined ? '' : ` by <@${by}>`}: ${what}`;
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
  if (preview?.type === 'edit')
    return { text: preview.files.map(({ path, diff }) => `${path}\n${diff}`).join('\n'), language: 'diff' };
  return { text: printJson(input), language: 'json' };
}
