import { isAtLeast, versionIn } from '../launch/cli-version.js';
import type { JsonObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';

// What depends on the version of Gemini CLI. What it shows counts before its number.

/** Returns the version that the answer to ACP's `initialize` shows. One-shot output shows none. */
export function shownVersion(answer: JsonObject): string | undefined {
  return versionIn(text(object(answer['agentInfo'])['version']));
}

/**
 * Returns the name of a tool over ACP. The ids of calls begin with it (0.45.2); older ones don't (0.35.3), and there the kind
 * has to do.
 */
export function toolNameOf(call: JsonObject): string {
  const inId = nameInId(text(call['toolCallId']));
  if (inId !== '') return inId;
  switch (call['kind']) {
    case 'execute':
      return 'run_shell_command';
    case 'edit':
      return objects(call['content']).some((part) => object(part['_meta'])['kind'] === 'add')
        ? 'write_file'
        : 'replace';
    default:
      return text(call['kind']) || 'unknown';
  }
}

/** The tool's name in the id of its call; empty if there is none. */
export function nameInId(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('__')));
}

/** Returns the command of a call: its title, in which older versions (0.35.3) also have the directory and the description. */
export function commandOf(call: JsonObject): string {
  const title = text(call['title']);
  if (nameInId(text(call['toolCallId'])) !== '') return title;
  // The last one: what the command itself says is never cut.
  const end = title.lastIndexOf(' [current working directory ');
  return end < 0 ? title : title.slice(0, end);
}

/** True if `/name` may be one of Gemini's own commands. A version that is newer than the list may have any other as well. */
export function mayBeCommand(name: string, version: string | undefined): boolean {
  return builtIn.has(name) || isAtLeast(version, '0.61.1');
}

/** The commands of the versions up to 0.61.0, with their other names. */
const builtIn: ReadonlySet<string> = new Set(
  `about agents auth background bashes bg bug bug-memory chat checkpoint clear commands compact compress copy corgi
  dir directory docs editor exit extensions footer gemma help hooks ide init login logout mcp memory model oncall
  permissions plan policies privacy profile quit resume restore rewind sessions settings setup-github shells shortcuts
  skills stats status statusline summarize tasks terminal-setup theme tools update upgrade usage vim voice`.split(
    /\s+/,
  ),
);
