import type { FoundCli } from './found-clis.js';

/** What the CLI still needs before it can answer; nothing if it is there and signed in. */
export function firstSteps({ installed, install, signedIn, signIn }: FoundCli): readonly string[] {
  if (!installed) return [`First install it: ${install}`];
  if (signIn === undefined || signedIn === 'yes') return [];
  return [signedIn === 'no' ? `First sign in: ${signIn}.` : `If it has no account yet: ${signIn}.`];
}

/** What to type after `turnout init`. `isModeSet`: somebody has chosen what agents may do. */
export function nextSteps(
  isModeSet: boolean,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  return [
    'Next:',
    '  turnout                                 a conversation',
    '  turnout run "explain this repository"   one turn, in this directory',
    '  turnout gateway                         the page and the HTTP API',
    ...(platform === 'linux'
      ? ['  turnout service                         the same, as a systemd unit to install']
      : []),
    '  turnout config list                     every setting',
    ...(isModeSet
      ? []
      : [
          '',
          'A chat asks before an agent does something; `turnout run` and the gateway',
          "don't, unless you type: turnout config set permission-mode ask",
        ]),
  ];
}
