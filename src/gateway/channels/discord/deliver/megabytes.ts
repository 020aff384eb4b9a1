/** `9 MB`, `0.1 MB`: rounded up, so that what is over a limit does not look like the limit. */
export function megabytes(bytes: number): string {
  return `${Math.ceil((bytes / 1024 ** 2) * 10) / 10} MB`;
}
