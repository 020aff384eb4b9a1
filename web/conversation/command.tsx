import { LongText } from '../long-text.js';
import { VisibleText } from '../visible-text.js';

export interface CommandProps {
  readonly command: string;
  readonly cwd?: string | undefined;
}

/** So many lines are counted at a glance. */
const fewLines = 5;

/** A command as the shell reads it. */
export function Command({ command, cwd }: CommandProps) {
  const lines = command.split('\n').length;
  return (
    <div class="command">
      {cwd !== undefined && (
        <span class="command-place">
          <VisibleText text={cwd} level="exact" />
        </span>
      )}
      {lines > fewLines && <span class="command-place">{lines} lines</span>}
      <LongText text={command} atOnce={8000} level="exact" />
    </div>
  );
}
