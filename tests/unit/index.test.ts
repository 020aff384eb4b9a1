import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

// `npm test` has built these before it runs the tests.
const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const index = join(dist, 'index.d.ts');

describe('the types of the package (18.9)', () => {
  const declared = read(index);
  const shipped = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(dist, name));

  it('are all exported that an exported one mentions', () => {
    const missing = [...declared].flatMap(([id, { name, mentions }]) =>
      mentions
        .filter((mentioned) => !declared.has(mentioned) && !isStateOfDecoder(mentioned))
        .map((mentioned) => `${name} (${id}) → ${mentioned}`),
    );
    expect(missing).toEqual([]);
  });

  it('have no comment with a number that only the makers can look up', () => {
    const cited = shipped.flatMap((file) => {
      const comments = readFileSync(file, 'utf8').match(/\/\*\*[\s\S]*?\*\/|\/\/.*/g) ?? [];
      return comments
        .filter((comment) => /\b[A-Z]\d{1,2}(?:\.\d+)?\b|(?<![.\d])\b\d{2}\.\d{1,2}\b(?!\.)/.test(comment))
        .map((comment) => `${relative(dist, file)}: ${comment}`);
    });
    expect(cited).toEqual([]);
  });

  it('are shipped with all that they import, and without those of inner modules', () => {
    const imported = new Set([index]);
    for (const file of shipped) {
      for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
        /\b(?:from |import\(|import )['"]([^'"]+)['"]/g,
      )) {
        if (path.startsWith('.')) imported.add(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
        else expect(path, `a package in ${relative(dist, file)}`).toMatch(/^node:/);
      }
    }
    expect([...imported].sort()).toEqual([...shipped].sort());
  });
});

/** What a vendor's decoder remembers between two lines passes through the backend's class; nobody else gets hold of it. */
function isStateOfDecoder(id: string): boolean {
  return /\/backends\/\w+\/decoder\.d\.ts#\w+State$/.test(id) && !id.includes('/one-shot/');
}

interface Declared {
  readonly name: string;
  /** The declarations that it needs, as `file#name`. */
  readonly mentions: readonly string[];
}

/** Reads what the package exports, each with the types of Turnout's own that stand in its declaration. */
function read(entry: string): ReadonlyMap<string, Declared> {
  const declared = new Map<string, Declared>();
  for (const [name, id] of exportsOf(entry)) {
    const [file = '', own = ''] = id.split('#');
    const text = withoutComments(readFileSync(file, 'utf8'));
    const body = declarationOf(text, own);
    expect(body, `${own} in ${file}`).not.toBe('');
    const known = new Map([...importsOf(text, file), ...localsOf(text, file)]);
    const words = new Set(body.match(/[A-Za-z_$][\w$]*/g) ?? []);
    const mentions = [...known]
      .filter(([word]) => words.has(word) && word !== own)
      .map(([, target]) => resolved(target));
    declared.set(id, { name, mentions });
  }
  return declared;
}

/** `export { a, type B as C } from './x.js'`, and `export type { … }`: the exported name, and where it is declared. */
function exportsOf(file: string): ReadonlyMap<string, string> {
  const text = withoutComments(readFileSync(file, 'utf8'));
  const found = new Map<string, string>();
  for (const [, names = '', from = ''] of text.matchAll(
    /export (?:type )?\{([^}]*)\} from ['"]([^'"]+)['"]/g,
  )) {
    const target = join(dirname(file), from.replace(/\.js$/, '.d.ts'));
    for (const [local, name] of namesIn(names)) found.set(name, resolved(`${target}#${local}`));
  }
  return found;
}

/** Follows a name that a file only passes on. */
function resolved(id: string): string {
  const [file = '', name = ''] = id.split('#');
  return existsSync(file) ? (exportsOf(file).get(name) ?? id) : id;
}

function importsOf(text: string, file: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/import (?:type )?\{([^}]*)\} from ['"](\.[^'"]+)['"]/g)].flatMap(
    ([, names = '', from = '']) => {
      const target = join(dirname(file), from.replace(/\.js$/, '.d.ts'));
      return namesIn(names).map(([original, local]) => [local, `${target}#${original}`] as const);
    },
  );
}

/** The types of the same file. A variable is no type, unless `typeof` makes it one. */
function localsOf(text: string, file: string): readonly (readonly [string, string])[] {
  const kinds = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) ([\w$]+)/gm;
  return [...text.matchAll(kinds)].map(([, name = '']) => [name, `${file}#${name}`] as const);
}

function namesIn(list: string): readonly (readonly [original: string, name: string])[] {
  return list.split(',').flatMap((part) => {
    const [original, name] = part
      .replace(/\btype\b/, '')
      .trim()
      .split(/ as /);
    return original === undefined || original === '' ? [] : [[original, name ?? original] as const];
  });
}

/** From the declaration's first word to the next one that stands at the beginning of a line. Private members are left out. */
function declarationOf(text: string, name: string): string {
  const kinds = 'interface|type|class|function|const';
  const begin = new RegExp(`^(?:export )?(?:declare )?(?:abstract )?(?:${kinds}) ${name}\\b`, 'm').exec(text);
  if (begin === null) return '';
  const rest = text.slice(begin.index);
  const next = /\n(?=(?:export|declare|interface|type|import) )/.exec(rest);
  const overloads = rest.slice(0, next?.index ?? rest.length);
  return overloads.replaceAll(/^ {4}private .*$/gm, '');
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}
