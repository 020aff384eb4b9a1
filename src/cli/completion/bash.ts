import type { Completion } from '../command/command-page.js';
import { type CompletedCommand, type CompletedPlace, placesOf, spellings } from './completed-command.js';

/**
 * The script for bash 4 and newer. It does not use `compgen -W`, which runs what looks like a command in its words: the names of
 * chains and agents come from files of a directory that may be somebody else's.
 */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const places = commands.flatMap(placesOf);
  const withSubcommands = commands.filter(({ subcommands }) => subcommands !== undefined);
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completion of turnout for bash: source <(turnout completion bash)
_turnout_words() {
  local word
  while IFS= read -r word; do
    [[ -n $word && $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
  compopt +o default 2>/dev/null
}

_turnout() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place=\${COMP_WORDS[1]} i
  COMPREPLY=()
  # Bash takes --flag=value apart at the equals sign.
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD == 1)); then
    _turnout_words < <(printf '%s\\n' ${names} --help --version)
    return
  fi
  # What follows -- is for the agent's own CLI.
  for ((i = 2; i < COMP_CWORD; i++)); do [[ \${COMP_WORDS[i]} == '--' ]] && return; done
  case $place in
    ${withSubcommands.map(({ name }) => name).join('|')}) ((COMP_CWORD > 2)) && place="$place \${COMP_WORDS[2]}" ;;
  esac
  case $place in
${places.map(placeCase).join('\n')}
  esac
}

complete -o bashdefault -o default -F _turnout turnout
`;
}

function placeCase({ words, flags, operand, next }: CompletedPlace): string {
  const pattern = next.length > 0 ? `${quote(words)}*` : quote(words);
  const values = flags.flatMap((flag) => {
    if (flag.type === 'switch') return [];
    return [
      `        ${spellings(flag).join('|')}) ${flag.complete === undefined ? nothing : proposal(flag.complete)}; return ;;`,
    ];
  });
  const following = next.length > 0 ? list(next.map(({ name }) => name)) : proposal(operand);
  const lines = [
    `    ${pattern})`,
    ...(values.length === 0 ? [] : ['      case $prev in', ...values, '      esac']),
    `      if [[ $cur == -* ]]; then ${list(flags.flatMap(spellings))}`,
    `      else ${following}`,
    '      fi ;;',
  ];
  return lines.join('\n');
}

/** Without a proposal bash falls back to files. */
function proposal(completion: Completion | undefined): string {
  if (completion === undefined || completion === 'files') return ':';
  if (completion === 'directories')
    return `compopt -o filenames 2>/dev/null; _turnout_words < <(compgen -d -- "$cur"); compopt -o default 2>/dev/null`;
  if (typeof completion === 'string')
    return `_turnout_words < <(turnout completion values ${completion} "$prev" "$cur" 2>/dev/null)`;
  return list(completion);
}

const nothing = 'compopt +o default 2>/dev/null';

function list(words: readonly string[]): string {
  return words.length === 0 ? ':' : `_turnout_words < <(printf '%s\\n' ${words.map(quote).join(' ')})`;
}

function quote(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
