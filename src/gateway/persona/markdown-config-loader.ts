import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFrontMatter, splitFrontMatter } from '../../config/front-matter.js';
import { misplacedSettings } from '../../config/misplaced-settings.js';
import { readTextFile } from '../../config/read-text-file.js';
import { isShortage } from '../../core/errors.js';
import { channelDirectory } from '../channels/channel-directory.js';
import {
  type ChannelSettings,
  channelSettingsAliases,
  channelSettingsShape,
  toChannelSettings,
} from './channel-settings.js';
import { cutMark } from './cut-text.js';
import { defaultPromptLimits, type PromptLimits } from './limits.js';
import { strayAtTop, strayDirectories, strayFiles } from './stray-files.js';

export type { ChannelSettings } from './channel-settings.js';

/** The files make the system prompt in this order. */
const personaFiles = ['identity.md', 'soul.md', 'user.md', 'tools.md', 'agents.md', 'memory.md'] as const;

/** The channel's own part of the prompt, behind the others. It is read only in `channels/<id>/`. */
const channelFile = 'channel.md';

export interface ChannelConfig {
  /** The files in the order of the prompt. A file without any text is here too: it was read, and it may replace another. */
  readonly parts: readonly PromptPart[];
  readonly settings: ChannelSettings;
  /** Each names the file, the line, and what was expected. The other settings count all the same. */
  readonly problems: readonly string[];
  /**
   * Those of the problems that are about the channel's own settings. Each may hide a restriction, so no turn is run until
   * they are gone.
   */
  readonly unusable: readonly string[];
}

export interface PromptPart {
  /** The path relative to CONFIG_DIR, with `/`. */
  readonly path: string;
  /** The text without front matter. If the file was cut, a line at the end says so. */
  readonly text: string;
  /** The hash of the file up to its limit, front matter included. */
  readonly sha256: string;
  /** The size of the file. */
  readonly bytes: number;
  readonly truncated: boolean;
}

/** The channel whose files count for one that has none of its own: a thread's. */
export type ParentOf = (channel: string) => Promise<string | undefined>;

export interface LoaderOptions extends Partial<PromptLimits> {
  readonly parentOf?: ParentOf;
}

/** The persona and the settings of a channel, from CONFIG_DIR, as they are at the moment. */
export class MarkdownConfigLoader {
  readonly #configDir: string;
  readonly #limits: PromptLimits;
  readonly #parentOf: ParentOf;
  /** CONFIG_DIR was there: without it all restrictions would be gone. */
  #seen = false;

  constructor(configDir: string, options: LoaderOptions = {}) {
    const { parentOf = async () => undefined, ...limits } = options;
    this.#configDir = configDir;
    this.#parentOf = parentOf;
    this.#limits = { ...defaultPromptLimits, ...limits };
  }

  /** Never rejects over the content of the files: mistakes are `problems`. Rejects if the machine can't read now. */
  async load(channel: string): Promise<ChannelConfig> {
    const folder = `channels/${channelDirectory(channel)}`;
    // Listings replace thirteen attempts to open a file: most channels have no folder of their own.
    const [general, own] = await Promise.all([this.#list(''), this.#list(folder)]);
    const parent = own.missing ? await this.#parentOf(channel) : undefined;
    if (parent !== undefined && parent !== channel) return this.load(parent);
    const stray = await this.#stray(channel, folder, general, own);
    const paths = [
      ...personaFiles.flatMap((name) =>
        own.names.has(name) ? `${folder}/${name}` : general.names.has(name) ? name : [],
      ),
      ...(own.names.has(channelFile) ? [`${folder}/${channelFile}`] : []),
    ];
    const read = await Promise.all(
      paths.map((path) => (path.startsWith(folder) ? this.#readOwn(path) : this.#readGeneral(path))),
    );
    return {
      parts: read.flatMap(({ part }) => part ?? []),
      settings: Object.assign({}, ...read.map(({ settings }) => settings)),
      problems: [...general.problems, ...own.problems, ...stray, ...read.flatMap(({ problems }) => problems)],
      unusable: [...general.problems, ...own.problems, ...stray, ...read.flatMap(({ unusable }) => unusable)],
    };
  }

  /** Files that are not read but may have been meant to be. */
  async #stray(channel: string, folder: string, general: Listing, own: Listing): Promise<readonly string[]> {
    if (general.missing) {
      return this.#seen ? ['CONFIG_DIR: is gone; it was there when this gateway last looked'] : [];
    }
    this.#seen = true;
    const atTop = strayAtTop(general.names);
    if (!own.missing) {
      const known = [...personaFiles, channelFile];
      return [...atTop, ...strayFiles(folder, own.names, known, (name) => own.directories.has(name))];
    }
    const { names } = await this.#list('channels');
    const wanted = channelDirectory(channel);
    return [...atTop, ...strayDirectories(names, wanted), ...(await this.#notEncoded(channel, wanted))];
  }

  /** `channels/team/ops` is not where the settings of `team/ops` are read. */
  async #notEncoded(channel: string, wanted: string): Promise<readonly string[]> {
    const path = `channels/${channel}`;
    const parts = channel.split('/');
    const isPath = parts.length > 1 && !channel.includes('\0');
    if (!isPath || parts.some((part) => ['', '.', '..'].includes(part))) return [];
    const found = await lstat(join(this.#configDir, path)).catch(() => undefined);
    return found === undefined
      ? []
      : [`${path}: is not read; the settings of this channel are in channels/${wanted}/`];
  }

  async #list(folder: string): Promise<Listing> {
    try {
      return listing(await readdir(join(this.#configDir, folder), { withFileTypes: true }));
    } catch (error) {
      if (isShortage(error)) throw error;
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      const missing = code === 'ENOENT';
      const problems = missing ? [] : [`${folder || 'CONFIG_DIR'}: could not be listed (${code})`];
      return { ...listing([]), missing, problems };
    }
  }

  /**
   * A file for all channels has no settings: front matter that another program put there is left out. A restriction in it
   * was meant for all channels, and holds for none.
   */
  async #readGeneral(path: string): Promise<ReadPart> {
    const { part, problems } = await this.#read(path);
    const none = { settings: {}, problems, unusable: [] };
    if (part === undefined) return none;
    const { yaml = '', openingLine, body } = splitFrontMatter(part.text);
    const unusable = misplacedSettings(path, yaml, openingLine + 1, {
      keys: channelSettingsAliases,
      fromTop: false,
      isSet: () => false,
    }).map((problem) => `${problem} of channels/<id>/channel.md`);
    return { ...none, part: { ...part, text: body.trim() }, problems: [...problems, ...unusable], unusable };
  }

  async #readOwn(path: string): Promise<ReadPart> {
    const { part, problems } = await this.#read(path);
    if (part === undefined) {
      // The file was listed, so it was meant to be read.
      const unread = problems.length > 0 ? problems : [`${path}: is a link to a file that is not there`];
      return { settings: {}, problems: unread, unusable: unread };
    }
    const options = { aliases: channelSettingsAliases, valuesNeeded: true };
    const matter = readFrontMatter(path, part.text, channelSettingsShape, options);
    const forSettings = path.endsWith(`/${channelFile}`);
    const hasMatter = matter.bodyLine > 1;
    const unusable = [
      ...matter.problems,
      ...misplacedSettings(path, matter.body, matter.bodyLine, {
        keys: channelSettingsAliases,
        fromTop: forSettings,
        isSet: (key) => matter.settings[key] !== undefined,
      }),
      ...(forSettings && part.truncated && !hasMatter
        ? [`${path}: is too long to be read to its end; settings stand between two lines of --- at the top`]
        : []),
    ];
    return {
      part: { ...part, text: matter.body.trim() },
      settings: toChannelSettings(matter.settings),
      problems: [...problems, ...unusable],
      unusable,
    };
  }

  async #read(path: string): Promise<{ part?: PromptPart; problems: readonly string[] }> {
    const reading = await readTextFile(join(this.#configDir, path), this.#limits.fileBytes);
    if (reading.type === 'missing') return { problems: [] };
    if (reading.type === 'problem') return { problems: [`${path}: ${reading.problem}`] };
    const { text, shown, ...facts } = reading.file;
    const marked = facts.truncated ? `${text}\n\n${cutMark(path, shown, facts.bytes)}` : text;
    return { part: { path, text: marked, ...facts }, problems: [] };
  }
}

interface Listing {
  readonly names: ReadonlySet<string>;
  readonly directories: ReadonlySet<string>;
  readonly missing: boolean;
  readonly problems: readonly string[];
}

function listing(entries: readonly Dirent[]): Listing {
  const names = (found: readonly Dirent[]) => new Set(found.map(({ name }) => name));
  return {
    names: names(entries),
    directories: names(entries.filter((entry) => entry.isDirectory())),
    missing: false,
    problems: [],
  };
}

interface ReadPart {
  readonly part?: PromptPart;
  readonly settings: ChannelSettings;
  readonly problems: readonly string[];
  readonly unusable: readonly string[];
}
