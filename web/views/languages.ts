/** As much of a language as is needed to colour it a little. */
export interface Language {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** Strings that end with the line at the latest. */
  readonly quotes: readonly string[];
  /** Strings that go on over lines. */
  readonly longQuotes: readonly string[];
  readonly keywords: ReadonlySet<string>;
}

/** The language of a file by its name; undefined for one that is shown without colours. */
export function languageOf(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name;
  return byExtension.get(extension);
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const braces = {
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
  quotes: ['"', "'"],
  longQuotes: [],
} as const;

const hash = { lineComments: ['#'], blockComments: [], quotes: ['"', "'"], longQuotes: [] } as const;

const javascript: Language = {
  ...braces,
  longQuotes: ['`'],
  keywords: words(
    'abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of override private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while yield',
  ),
};

const c: Language = {
  ...braces,
  keywords: words(
    'abstract alignas as async auto await base bool boolean break byte case catch char class concept const constexpr continue default defer delete do double dynamic else enum explicit export extends extern false final finally float for foreach friend func goto guard if implements import in include inline instanceof int interface internal is let long match mutable namespace native new nil null nullptr object operator out override package private protected public readonly ref register return sealed short signed sizeof static string struct super switch synchronized template this throw throws trait transient true try typedef typename union unsigned using val var virtual void volatile when where while yield define ifdef ifndef endif',
  ),
};

const go: Language = {
  ...braces,
  longQuotes: ['`'],
  keywords: words(
    'break bool byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint var',
  ),
};

const rust: Language = {
  ...braces,
  // A single quote is mostly a lifetime, which has no end.
  quotes: [],
  longQuotes: ['"'],
  keywords: words(
    'as async await bool break const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop macro_rules match mod move mut pub ref return self Self static str String struct super trait true type u8 u32 u64 unsafe use usize where while',
  ),
};

const python: Language = {
  ...hash,
  longQuotes: ['"""', "'''"],
  keywords: words(
    'and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield',
  ),
};

const ruby: Language = {
  ...hash,
  keywords: words(
    'alias and begin break case class def do else elsif end ensure false for if in module next nil not or private protected public raise require rescue return self super then true unless until when while yield',
  ),
};

const shell: Language = {
  ...hash,
  keywords: words(
    'case cd do done echo elif else esac eval exec exit export fi for function if in local read readonly return set shift source then trap unset until while ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER VOLUME WORKDIR',
  ),
};

const data: Language = { ...hash, keywords: words('true false null yes no on off') };

const json: Language = { ...braces, quotes: ['"'], keywords: words('true false null') };

const css: Language = {
  lineComments: [],
  blockComments: [['/*', '*/']],
  quotes: ['"', "'"],
  longQuotes: [],
  keywords: words('and auto from important inherit initial media none not only supports to unset'),
};

const markup: Language = {
  lineComments: [],
  blockComments: [['<!--', '-->']],
  quotes: ['"'],
  longQuotes: [],
  keywords: words(''),
};

const sqlWords =
  'add all alter and as asc begin between by case check column commit constraint create default delete desc distinct drop else end exists false foreign from group having if in index inner insert integer into is join key left like limit not null on or order outer primary references right rollback select set table text then true union unique update using values view when where with';
const sql: Language = {
  lineComments: ['--'],
  blockComments: [['/*', '*/']],
  quotes: ['"', "'"],
  longQuotes: [],
  keywords: words(`${sqlWords} ${sqlWords.toUpperCase()}`),
};

const lua: Language = {
  lineComments: ['--'],
  blockComments: [],
  quotes: ['"', "'"],
  longQuotes: [],
  keywords: words(
    'and break do else elseif end false for function goto if in local nil not or repeat return then true until while case class data deriving import instance let module newtype of type where',
  ),
};

const families: readonly (readonly [Language, string])[] = [
  [javascript, 'js jsx mjs cjs ts tsx mts cts vue svelte'],
  [c, 'c h cc cpp cxx hpp m mm java kt kts cs swift scala dart php groovy gradle proto zig'],
  [go, 'go'],
  [rust, 'rs'],
  [python, 'py pyi pyw'],
  [ruby, 'rb rake gemfile rakefile ex exs cr'],
  [shell, 'sh bash zsh fish ps1 dockerfile makefile mk justfile'],
  [data, 'yaml yml toml ini conf cfg properties env tf hcl nix r pl'],
  [json, 'json jsonc json5 jsonl'],
  [css, 'css scss sass less'],
  [markup, 'html htm xml svg md markdown'],
  [sql, 'sql'],
  [lua, 'lua hs'],
];

const byExtension: ReadonlyMap<string, Language> = new Map(
  families.flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension) => [extension, language] as const),
  ),
);
