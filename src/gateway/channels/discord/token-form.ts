import type { FinalProblem } from './explain-closing.js';

/**
 * The token without white space around it, or what is wrong with its form. Discord is not asked with one that can't be right: some
 * of them fit into no header, which would look like a fault of the network. The token itself is never in the words.
 */
export function readToken(given: string): { readonly token: string } | { readonly problem: FinalProblem } {
  const token = given.trim();
  const wrong = whatIsWrong(token);
  if (wrong === undefined) return { token };
  return {
    problem: {
      code: 0,
      message: `DISCORD_BOT_TOKEN is not the token of a bot: ${wrong}.`,
      hint:
        'It looks like MTE4….Gx1a2b.…: three parts of letters, digits, "-" and "_", with dots between them. Open ' +
        'https://discord.com/developers/applications, choose the application, then "Bot" and "Reset Token", copy all of it, and ' +
        'start the gateway again.',
    },
  };
}

function whatIsWrong(token: string): string | undefined {
  if (/^Bot\s/i.test(token)) return 'it begins with "Bot", which is not a part of it';
  if (/["'`´‘’“”„«»]/.test(token)) return 'there are quotes in it';
  if (/\s/.test(token)) return 'there is a blank or a line break in it';
  if (/[^\x21-\x7e]/.test(token)) return 'there are characters in it that no token has';
  if (/^[\w-]+(?:\.[\w-]+){2}$/.test(token)) return undefined;
  if (/^[\w-]{32}$/.test(token))
    return 'it has no dots, and is as long as the client secret of an application';
  if (/^\d{17,20}$/.test(token)) return 'it is an id of Discord';
  return 'it does not have three parts with dots between them; perhaps it is cut off';
}
