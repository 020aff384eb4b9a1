/** In bytes: file systems take 255, and a program that works on the file may want to append something. */
const maxBytes = 200;

/**
 * Makes a name that somebody else gave to a file safe to be created and to be written into a command: letters, digits, dots,
 * dashes and underscores, of any script, no path. The extension stays. `taken` are the names in the same directory.
 */
export function safeName(given: string, taken: Iterable<string> = []): string {
  return nameFor(given, new Set(Array.from(taken, sameFile)), new Map());
}

/** The names in the order given, each one safe and of its own. */
export function safeNames(given: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return given.map((one) => {
    const name = nameFor(one, taken, numbers);
    taken.add(sameFile(name));
    return name;
  });
}

function nameFor(given: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  const name = (given.split(/[/\\]/).at(-1) ?? '')
    .replace(invisible, '')
    .normalize('NFC')
    .replace(unsafe, '_')
    .replace(/_{2,}/g, '_')
    // A leading dot hides a file, a leading dash makes it an option, and Windows drops dots at the end.
    .replace(/^[.\-_]+/, '')
    .replace(/[._]+$/, '');
  const [extension = ''] = /(?:\.tar)?\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  const base = withoutEnd(name.slice(0, name.length - extension.length));
  const stem = reserved.test(base) ? `file_${base}` : base || 'file';
  return unique(stem, extension, taken, numbers);
}

/** Control characters, directions of writing, joiners and halves of surrogate pairs. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const unsafe = /[^\p{L}\p{M}\p{N}.\-_]/gu;
/** Windows has devices of these names in every directory, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)(?:\.|$)/i;

/** `numbers` has the number after which a stem was last looked for: those before are taken. */
function unique(
  stem: string,
  extension: string,
  taken: ReadonlySet<string>,
  numbers: Map<string, number>,
): string {
  const key = sameFile(stem + extension);
  for (let number = numbers.get(key) ?? 1; ; number++) {
    const tail = (number === 1 ? '' : `-${number}`) + extension;
    const name = withoutEnd(cutToBytes(stem, maxBytes - Buffer.byteLength(tail))) + tail;
    if (taken.has(sameFile(name))) continue;
    numbers.set(key, number);
    return name;
  }
}

/** Some file systems take names for the same that differ in case or in how an accent is written. */
function sameFile(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function withoutEnd(name: string): string {
  return name.replace(/[._]+$/, '');
}

function cutToBytes(text: string, most: number): string {
  let bytes = 0;
  let cut = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    cut += character;
  }
  return cut;
}
