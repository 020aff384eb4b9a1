const discordEpoch = 1_420_070_400_000;

/** The first id that a moment has: ids of Discord grow with time. */
export function idAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - discordEpoch)) << 22n);
}

/** The moment at which an id was given. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + discordEpoch;
}

export function isNewer(id: string, than: string): boolean {
  return BigInt(id) > BigInt(than);
}

export function idBefore(id: string): string {
  return String(BigInt(id) - 1n);
}
