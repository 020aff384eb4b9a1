/**
 * Names that are no files of ours but may have been meant as such. A setting in a file that nobody reads restricts nothing,
 * and nobody notices.
 */

/** Names in a channel's directory (`isDirectory` tells of each) that are none of `known`. */
export function strayFiles(
  folder: string,
  names: Iterable<string>,
  known: readonly string[],
  isDirectory: (name: string) => boolean,
): readonly string[] {
  const all = new Set(names);
  return [...all].flatMap((name) => {
    if (known.includes(name) || isLeftByEditor(name, known, all)) return [];
    const looksKnown = known.some((one) => plainName(one) === plainName(name));
    if (!looksKnown && (isDirectory(name) || name.startsWith('.'))) return [];
    return [
      `${folder}/${name}: is not read, and may hold settings; expected ${known.join(', ')}: rename it, or move it away`,
    ];
  });
}

/** `channel.md~`, `channel.md.bak`, `.channel.md.swp`: harmless beside the file that they were made of. */
function isLeftByEditor(name: string, known: readonly string[], all: ReadonlySet<string>): boolean {
  const [, original] = /^[.#]*(.+?)(?:~|#|\.(?:bak|old|orig|tmp|sw[a-z]))+$/.exec(name) ?? [];
  return original !== undefined && known.includes(original) && all.has(original);
}

/** Names in CONFIG_DIR that stand for `channels/`, or for the file of a channel. */
export function strayAtTop(names: ReadonlySet<string>): readonly string[] {
  return [...names].flatMap((name) => {
    if (name === 'channels' || !/^channels?$/.test(plainName(name))) return [];
    return [
      `${name}: is not read, and may hold settings; those of a channel are in channels/<id>/channel.md`,
    ];
  });
}

/** Names in `channels/` that stand for the directory of a channel that has none. */
export function strayDirectories(names: ReadonlySet<string>, wanted: string): readonly string[] {
  if (names.has(wanted)) return [`channels/${wanted}: is a link to a directory that is not there`];
  return [...names].flatMap((name) => {
    if (plainName(decoded(name)) !== plainName(decoded(wanted))) return [];
    return [
      `channels/${name}: may hold the settings of this channel, which are read in channels/${wanted}/ only; rename it, or make that directory`,
    ];
  });
}

/** Names that may have been meant for this file, which is not there; its own is among them if it is a link to nowhere. */
export function looksLike(known: string, names: readonly string[]): readonly string[] {
  const stem = plainName(known).replace(/s$/, '');
  return names.filter((name) => plainName(name).replace(/s$/, '') === stem);
}

/** A name in small letters, without blanks around it, a dot in front and endings behind. */
function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^\.(?=\w)/, '')
    .replace(/(?:\s*\.\s*(?:md|mdx|mkd|mdown|markdown|txt|text|ya?ml|toml|jsonc?|json5))+$/, '')
    .trim();
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
