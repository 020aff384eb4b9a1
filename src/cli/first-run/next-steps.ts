import { userCommands } from '../gateway/systemd-unit.js';
import type { FoundCli } from './found-clis.js';

/** What to type after `turnout init`. */
export function nextSteps(
  { installed, install, signedIn, signIn }: FoundCli,
  platform: NodeJS.Platform = process.platform,
): string {
  const account =
    signIn === undefined || signedIn === 'yes'
      ? []
      : [signedIn === 'no' ? `First sign in: ${signIn}.` : `If it has no account yet: ${signIn}.`, ''];
  const first = installed ? account : [`First install it: ${install}`, ''];
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
    '',
    'A chat asks before an agent does something; `turnout run` and the gateway',
    'let agents use their tools without asking. To be asked there, too:',
    '  turnout config set permission-mode ask  (or edits, plan)',
    ...service,
    '',
  ].join('\n');
}

function indented(line: string): string {
  return `  ${line}`;
}
