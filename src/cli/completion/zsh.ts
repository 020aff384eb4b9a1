import type { Completion } from '../command/command-page.js';
import {
  type CompletedCommand,
  type CompletedFlag,
  type CompletedPlace,
  placesOf,
} from './completed-command.js';

/** The script for zsh: to be sourced behind compinit, or as the file _turnout in a directory of fpath. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map((command) => {
    const places = placesOf(command);
    return command.subcommands === undefined ? places.map(plainCase).join('\n') : nestedCase(command, places);
  });
  return `#compdef turnout
# Completion of turnout for zsh: source <(turnout completion zsh), behind compinit.
# _arguments puts options for compadd before what is asked for.
_turnout_values() {
  local -a found
  found=(\${(f)"$(turnout completion values $@[-1] "$words[CURRENT-1]" "$PREFIX" 2>/dev/null)"})
  compadd "\${(@)@[1,-2]}" -a found
}

_turnout() {
  local -a words_here
  if ((CURRENT == 2)); then
    words_here=(${commands.map(({ name, about }) => described(name, about)).join(' ')})
    _describe -t commands 'turnout command' words_here
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join('\n')}
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _turnout "$@"; else compdef _turnout turnout; fi
`;
}

function plainCase(place: CompletedPlace): string {
  return `    ${place.words}) ${argumentsOf(place, 6)} ;;`;
}

function nestedCase({ name }: CompletedCommand, places: readonly CompletedPlace[]): string {
  const own = places.find(({ words }) => words === name);
  const below = places.filter((place) => place !== own);
  const cases = below.map((place) => `        ${place.words.split(' ')[1]}) ${argumentsOf(place, 10)} ;;`);
  const next = (own?.next ?? []).map((word) => described(word.name, word.about)).join(' ');
  return `    ${name})
      if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
        words_here=(${next})
        _describe -t commands '${name} command' words_here
        return
      fi
      local nested=$words[2]
      if [[ $nested == -* ]]; then nested=; else shift words; ((CURRENT--)); fi
      case $nested in
${cases.join('\n')}
        *) ${own === undefined ? ':' : argumentsOf(own, 10)} ;;
      esac ;;`;
}

function argumentsOf({ flags, operand }: CompletedPlace, indent: number): string {
  const before = `\\\n${' '.repeat(indent)}`;
  const rest = `'*:${operand === undefined ? 'word' : 'name'}:${action(operand)}'`;
  return `_arguments -s -S : ${[...flags.map(specification), rest].map((one) => before + one).join(' ')}`;
}

function specification(flag: CompletedFlag): string {
  const { name, short, type, about } = flag;
  const value =
    type === 'switch'
      ? ''
      : `:${escaped(flag.value ?? 'value')}:${flag.complete === undefined ? ' ' : action(flag.complete)}`;
  const words = `[${escaped(about)}]${value}`;
  const long = `--${name}${type === 'switch' ? '' : '='}`;
  if (short === undefined) return quote(`${type === 'list' ? '*' : ''}${long}${words}`);
  const either = type === 'list' ? quote('*') : quote(`(-${short} --${name})`);
  return `${either}{-${short}${type === 'switch' ? '' : '+'},${long}}${quote(words)}`;
}

function action(completion: Completion | undefined): string {
  if (completion === undefined || completion === 'files') return '_files';
  if (completion === 'directories') return '_files -/';
  if (typeof completion === 'string') return `_turnout_values ${completion}`;
  return `(${completion.join(' ')})`;
}

function described(name: string, about: string): string {
  return quote(`${name}:${about.replaceAll(':', '\\:')}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
