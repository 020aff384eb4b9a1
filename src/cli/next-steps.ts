import type { FoundCli } from './found-clis.js';
import { userCommands } from './systemd-unit.js';

/** What to type after `turnout init`. */
export function nextSteps(
  { backend, installed, install, signedIn, signIn }: FoundCli,
  platform: NodeJS.Platform = process.platform,
): string {
  const first = installed
    ? signedIn === 'no' && signIn !== undefined
      ? [`First sign in: ${signIn}.`, '']
      : []
    : [`First install ${backend}: ${install}`, ''];
  const service =
    platform === 'linux'
      ? ['', 'To leave it running, as a service of your own (systemd):', ...userCommands.map(indented)]
      : [];
  return [
    ...first,
    'Next:',
    '  turnout run "explain this repository"   one turn, in this directory',
    '  turnout chat                            a conversation',
    '  turnout gateway                         the page and the HTTP API',
    '  turnout config list                     every setting',
    ...service,
    '',
  ].join('\n');
}

function indented(line: string): string {
  return `  ${line}`;
}
