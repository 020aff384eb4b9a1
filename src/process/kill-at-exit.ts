/**
 * Calls `kill` if this process exits before the returned function was called. All calls share one listener,
 * which exists only while there is something to kill.
 */
export function killAtExit(kill: () => void): () => void {
  if (kills.size === 0) process.on('exit', killAll);
  kills.add(kill);
  return () => {
    if (kills.delete(kill) && kills.size === 0) process.off('exit', killAll);
  };
}

const kills = new Set<() => void>();

function killAll(): void {
  for (const kill of kills) kill();
}
