/** What the highlighter knows of a language. */
export interface Language {
  readonly keywords: ReadonlySet<string>;
  /** What begins a comment that ends with its line. */
  readonly lineComments: readonly string[];
  readonly blockComment?: readonly [open: string, close: string];
  /** What begins and ends a text; those of three characters, and the backtick, may go over lines. */
  readonly quotes: readonly string[];
}

/** The language by the word behind a fence; undefined for one that is not known. */
export function languageOf(word: string): Language | undefined {
  return languages.get(word.toLowerCase().replace(/^\.|[{,].*$/g, ''));
}

const script = words(
  'as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield',
);
const python = words(
  'and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield',
);
const compiled = words(
  'abstract alignas auto bool boolean break byte case catch char class const constexpr continue data default defer delete do double else enum explicit export extends extern false final finally float fn for foreach friend fun func go goto guard if impl implements import in inline int interface internal is let long loop map match mod module move mut namespace new nil noexcept null nullptr object operator override package private protected protocol pub public range readonly record ref return sealed select self short signed sizeof static string struct super suspend switch template this throw throws trait true try type typedef typename uint union unsafe unsigned use using val var virtual void volatile when where while yield',
);
const shell = words(
  'alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local read return set shift source then trap unset until while',
);
const sql = words(
  'add all alter and as asc between by case column commit constraint create cross database default delete desc distinct drop else end exists false foreign from full group having in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with',
);
const data = words('true false null yes no on off');

const slashes: Omit<Language, 'keywords'> = {
  lineComments: ['//'],
  blockComment: ['/*', '*/'],
  quotes: ['"', "'"],
};
const hashes: Omit<Language, 'keywords'> = { lineComments: ['#'], quotes: ['"', "'"] };

const languages: ReadonlyMap<string, Language> = new Map<string, Language>([
  ...named('js jsx mjs cjs javascript ts tsx mts cts typescript vue svelte', {
    ...slashes,
    keywords: script,
    quotes: ['"', "'", '`'],
  }),
  ...named('py python python3', { ...hashes, keywords: python, quotes: ['"""', "'''", '"', "'"] }),
  ...named(
    'c h cc cpp c++ hpp cs csharp java kt kotlin swift go golang rs rust scala dart zig php objc proto',
    {
      ...slashes,
      keywords: compiled,
      quotes: ['"', '`'],
    },
  ),
  ...named('sh bash zsh fish shell console shellsession dockerfile makefile make', {
    ...hashes,
    keywords: shell,
  }),
  ...named('rb ruby perl r elixir ex', { ...hashes, keywords: new Set([...python, ...shell, 'end', 'do']) }),
  ...named('sql', { keywords: sql, lineComments: ['--'], blockComment: ['/*', '*/'], quotes: ["'", '"'] }),
  ...named('json jsonc json5', { ...slashes, keywords: data }),
  ...named('yaml yml toml ini env properties', { ...hashes, keywords: data }),
  ...named('css scss less', { ...slashes, keywords: new Set() }),
]);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

function named(names: string, language: Language): readonly (readonly [string, Language])[] {
  return names.split(' ').map((name) => [name, language]);
}
