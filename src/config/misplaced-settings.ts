import { distance } from '../core/distance.js';
import { plainKey } from './front-matter.js';

/** The names of the keys that are looked for, in small letters only. */
export type LookedFor<K> = Readonly<
  Record<string, K> & Record<'permissionmode' | 'tools' | 'allowedtools', K>
>;

/**
 * Finds settings that stand outside the front matter, where they have no effect: behind a heading, in a fence of code,
 * without the dashes, in a table. The mode of permissions and `allowed_tools` are no words of a text, so they are found anywhere; the others
 * only where settings begin: behind a line of dashes or the like, and (`fromTop`) at the top of the text. Settings that
 * the front matter has set may be talked about.
 */
export function misplacedSettings<K extends string>(
  path: string,
  text: string,
  firstLine: number,
  {
    keys,
    fromTop,
    isSet,
  }: { readonly keys: LookedFor<K>; readonly fromTop: boolean; isSet(key: K): boolean },
): readonly string[] {
  const problems: string[] = [];
  let amongSettings = fromTop;
  let afterBlank = false;
  for (const [index, line] of text.split(/\n|\u0085|\u2028|\u2029/).entries()) {
    const [, first = ''] = keyLine.exec(line) ?? [];
    // A paragraph behind a rule may begin with a word and a colon.
    const mayBeSetting = amongSettings && !(afterBlank && /^\p{Lu}/u.test(first));
    const found =
      surely(line, first, keys) ??
      (mayBeSetting ? settingNamed(first, keys) : undefined) ??
      inTable(line, amongSettings ? Object.keys(keys) : sureKeys, keys);
    if (found !== undefined && !isSet(found)) {
      problems.push(
        `${path} line ${firstLine + index}: ${found} has no effect here; settings stand between two lines of --- at the top`,
      );
    }
    afterBlank = line.trim() === '';
    if (opensSettings.test(line)) amongSettings = true;
    else if (first === '' && !isSkipped.test(line) && !line.includes('|')) amongSettings = false;
  }
  return problems;
}

/** A line `key: value`, `"key" = value`, `- **Key:** value`: with its key. */
const keyLine = /^[\s>"'`*_{[(+-]*(\p{L}[\p{L}\p{N}_ -]{0,40}?)["'`*_\s]*[:=]/u;

/** Dashes of any kind, a fence of code, a comment. */
const opensSettings = /^\s*(?:[-–—_*+=~`]{3}|<!--)/;

/** Lines that may stand between settings and what opens them. */
const isSkipped = /^\s*(?:#.*|\/\/.*|[-*] .*)?$/;

const sureKeys: readonly string[] = ['permissionmode', 'allowedtools'];

/** The first of these keys that is a cell in a row of a table. */
function inTable<K>(line: string, names: readonly string[], keys: LookedFor<K>): K | undefined {
  if (!line.includes('|')) return undefined;
  const cells = line.split('|').map((cell) => plainKey(cell.replaceAll(/[`*"']/g, '')));
  const key = cells.find((cell) => names.includes(cell));
  return key === undefined ? undefined : keys[key];
}

const sureWords = /\b(?:(permission[\s_-]?mode)|allowed[\s_-]?tools)["'`*_\s]*[:=]/i;

function surely<K>(line: string, first: string, keys: LookedFor<K>): K | undefined {
  const [found, permissionMode] = sureWords.exec(line) ?? [];
  if (found !== undefined) return permissionMode === undefined ? keys.allowedtools : keys.permissionmode;
  return first !== '' && distance(plainKey(first), 'permissionmode') <= 2 ? keys.permissionmode : undefined;
}

function settingNamed<K>(written: string, keys: LookedFor<K>): K | undefined {
  const plain = plainKey(written);
  if (Object.hasOwn(keys, plain)) return keys[plain];
  if (/^permission/.test(plain)) return keys.permissionmode;
  return distance(plain, 'tools') <= 1 ? keys.tools : undefined;
}
