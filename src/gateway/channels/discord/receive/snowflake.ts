const discordEpoch = 1_420_070_400_000;

/** The first id that a moment has: ids of Discord grow with time. */
export function idAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - discordEpoch)) << 22n);
}

export function isNewer(id: string, than: string): boolean {
  return BigInt(id) > BigInt(than);
}

export function idBefore(id: string): string {
  return String(BigInt(id) - 1n);
}
