/**
 * What must not survive us, should our process leave without ending it. One listener for all, only while there
 * is something to kill. Returns the way to take it back.
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
