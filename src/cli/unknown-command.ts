import { nearest } from '../core/distance.js';

/** Says which commands there are, and which one may be meant. */
export function unknownCommand(name: string, commands: readonly string[]): string {
  const near = nearest(name, commands);
  const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`;
  const list = `Commands: ${commands.join(', ')}. See \`turnout --help\`.`;
  return `unknown command ${JSON.stringify(name)}.${meant} ${list}`;
}
