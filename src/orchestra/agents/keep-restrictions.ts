import type { SettingOrigins } from '../../config/setting-origins.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import { splitTools } from '../../core/split-tools.js';
import { allowsLess } from '../../runner/stricter-mode.js';
import type { AgentDefinition } from './definition.js';

/** What a person has set, in the environment, .env or config.yaml: a default restricts nobody. */
export interface SetRestrictions {
  readonly permissionMode?: PermissionMode;
  readonly allowedTools?: readonly string[];
}

type Restricted = Pick<AgentDefinition, 'permissionMode' | 'allowedTools'>;

export function setRestrictions(config: Required<SetRestrictions>, origins: SettingOrigins): SetRestrictions {
  const { permissionMode, allowedTools } = config;
  return {
    ...(origins['PERMISSION_MODE'] === undefined ? {} : { permissionMode }),
    ...(origins['ALLOWED_TOOLS'] === undefined ? {} : { allowedTools }),
  };
}

/**
 * The mode and the tools of an agent. Its file is a repository's: it may ask for less than the person has set, and where it asks
 * for more the setting is kept, and told. `lift` is what the person writes to allow it.
 */
export function keepRestrictions(
  { name, source, ...agent }: Restricted & Pick<AgentDefinition, 'name' | 'source'>,
  set: SetRestrictions,
  lift: 'flag' | 'environment',
): Restricted & { readonly warnings: readonly string[] } {
  const whose = `the agent ${name} (${source}) asks for`;
  const mode = keptMode(agent.permissionMode, set.permissionMode);
  const tools = keptTools(agent.allowedTools, set.allowedTools);
  const warnings: string[] = [];
  if (mode !== undefined && agent.permissionMode !== undefined && mode !== agent.permissionMode) {
    const way = lift === 'flag' ? '--permission-mode ' : 'PERMISSION_MODE=';
    warnings.push(
      `PERMISSION_MODE=${mode} is kept: ${whose} ${JSON.stringify(agent.permissionMode)}, which allows more. To allow it: ${way}${agent.permissionMode}`,
    );
  }
  if (tools !== undefined && tools.more.length > 0) {
    const [limit, wanted] = [set.allowedTools ?? [], agent.allowedTools ?? []].map((list) => list.join(','));
    const way = lift === 'flag' ? '--allowed-tools ' : 'ALLOWED_TOOLS=';
    warnings.push(
      `ALLOWED_TOOLS=${limit} is kept: ${whose} ${tools.more.join(', ')} as well. To allow it: ${way}${JSON.stringify(wanted)}`,
    );
  }
  return {
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...(tools === undefined ? {} : { allowedTools: tools.kept }),
    warnings,
  };
}

function keptMode(
  asked: PermissionMode | undefined,
  set: PermissionMode | undefined,
): PermissionMode | undefined {
  if (asked === undefined || set === undefined) return asked ?? set;
  return allowsLess(set, asked) ? set : asked;
}

/** Where both have a list, what both allow; the person's if that is nothing. `more` is what only the agent asks for. */
function keptTools(asked: readonly string[] | undefined, set: readonly string[] | undefined) {
  if (asked === undefined) return undefined;
  if (set === undefined) return { kept: asked, more: [] };
  const inBoth = asked.filter((tool) => isWithin(tool, set));
  const narrower = set.filter((tool) => !inBoth.includes(tool) && isWithin(tool, asked));
  const kept = [...inBoth, ...narrower];
  const more = asked.filter((tool) => !inBoth.includes(tool));
  return { kept: kept.length === 0 ? set : kept, more };
}

/** `Bash(git log:*)` is within `Bash`, and a tool of an MCP server within the server. */
function isWithin(tool: string, list: readonly string[]): boolean {
  if (list.includes(tool)) return true;
  if (splitTools(tool)?.length !== 1) return false;
  return list.some(
    (wide) => tool.startsWith(`${wide}(`) || (/^mcp__[^(*]+$/.test(wide) && tool.startsWith(`${wide}__`)),
  );
}
