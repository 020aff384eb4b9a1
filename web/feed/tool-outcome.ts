import type { PermissionStep, Step, ToolStep } from './turn.js';

export type ToolOutcome = 'running' | 'waits for you' | 'done' | 'failed' | 'denied' | 'unfinished';

/** What has become of a tool. Where the CLI does not say that it was denied, the answer to its question does. */
export function toolOutcome(tool: ToolStep, steps: readonly Step[], running: boolean): ToolOutcome {
  const { end } = tool;
  if (end !== undefined && !end.isError && !end.denied) return 'done';
  if (end?.denied) return 'denied';
  const asked = questionAbout(tool, steps);
  if (asked?.decision === 'deny') return 'denied';
  if (end !== undefined) return 'failed';
  if (!running) return 'unfinished';
  return asked !== undefined && asked.decision === undefined ? 'waits for you' : 'running';
}

/** A CLI may ask more than once about a tool, and need not say which call it asks about: then its name and input do. */
function questionAbout(tool: ToolStep, steps: readonly Step[]): PermissionStep | undefined {
  const about = steps.filter((step) => step.type === 'permission' && step.tool === tool.name);
  return (about as readonly PermissionStep[]).findLast(({ toolId, input }) =>
    toolId === undefined ? isSame(input, tool.input) : toolId === tool.id,
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
