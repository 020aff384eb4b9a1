/** The oldest Node that Turnout runs on, as in package.json's `engines`. */
export const minimumNode = '20.19';

/** A sentence for a person whose Node is too old, or undefined. It imports nothing, so that it can be said on any Node. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = minimumNode.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Turnout needs Node ${minimumNode} or newer; this is ${version}.`;
}
