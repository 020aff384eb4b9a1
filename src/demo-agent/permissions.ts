import type { Options } from './arguments.js';
import { type ToolInput, type ToolName, toolNames } from './step.js';

export type Permission =
  | { readonly type: 'allow'; readonly input: ToolInput }
  | { readonly type: 'deny'; readonly message: string };

/** Whether a tool may be used. A one-shot run decides by its flags; a live one can ask its client. */
export type Permit = (tool: ToolName, input: ToolInput, toolUseId: string) => Promise<Permission>;

/** `--tools` says which tools there are, `--disallowedTools` takes some away. */
export function availableTools(options: Options): readonly ToolName[] {
  const only = options.tools === undefined ? undefined : namesIn(options.tools);
  const without = namesIn(options.disallowedTools);
  return toolNames.filter(
    (tool) => (only === undefined || only.has('default') || only.has(tool)) && !without.has(tool),
  );
}

/** With nobody to ask, what would have to be asked is denied. */
export function permitByFlags(options: Options): Permit {
  const allowed = namesIn(options.allowedTools);
  const mayWrite = options.permissionMode === 'bypassPermissions' || options.permissionMode === 'acceptEdits';
  return async (tool, input) =>
    tool !== 'Write' || mayWrite || allowed.has(tool)
      ? { type: 'allow', input }
      : {
          type: 'deny',
          message: `Writing ${input['file_path']} needs a permission that was not granted.`,
        };
}

/** `Bash(git:*) Write` and `Bash(git:*),Write` both name Bash and Write. */
function namesIn(rules: readonly string[]): ReadonlySet<string> {
  return new Set(
    rules.flatMap((rule) => rule.replace(/\([^)]*\)/g, '').split(/[\s,]+/)).filter((name) => name !== ''),
  );
}
