import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isShortage } from '../../core/errors.js';
import { channelDirectory } from '../channels/channel-directory.js';
import {
  type ChannelSettings,
  channelSettingsAliases,
  channelSettingsShape,
  toChannelSettings,
} from './channel-settings.js';
import { cutMark } from './cut-text.js';
import { parseFrontMatter, splitFrontMatter } from './front-matter.js';
import { defaultPromptLimits, type PromptLimits } from './limits.js';
import { readTextFile } from './read-text-file.js';
import { concernsRestriction } from './restrictions.js';

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
  /** Those of the problems that may hide a restriction: no turn is run until they are gone. */
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

/** The persona and the settings of a channel, from CONFIG_DIR, as they are at the moment. */
export class MarkdownConfigLoader {
  readonly #configDir: string;
  readonly #limits: PromptLimits;

  constructor(configDir: string, limits: Partial<PromptLimits> = {}) {
    this.#configDir = configDir;
    this.#limits = { ...defaultPromptLimits, ...limits };
  }

  /** Never rejects over the content of the files: mistakes are `problems`. Rejects if the machine can't read now. */
  async load(channel: string): Promise<ChannelConfig> {
    const folder = `channels/${channelDirectory(channel)}`;
    // Two listings replace thirteen attempts to open a file: most channels have no folder of their own.
    const [general, own] = await Promise.all([this.#list(''), this.#list(folder)]);
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
      problems: [...general.problems, ...own.problems, ...read.flatMap(({ problems }) => problems)],
      unusable: [...own.problems, ...read.flatMap(({ unusable }) => unusable)],
    };
  }

  async #list(folder: string): Promise<{ names: ReadonlySet<string>; problems: readonly string[] }> {
    try {
      return { names: new Set(await readdir(join(this.#configDir, folder))), problems: [] };
    } catch (error) {
      if (isShortage(error)) throw error;
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      const problems = code === 'ENOENT' ? [] : [`${folder || 'CONFIG_DIR'}: could not be listed (${code})`];
      return { names: new Set(), problems };
    }
  }

  /** A file for all channels has no settings: front matter that another program put there is left out. */
  async #readGeneral(path: string): Promise<ReadPart> {
    const { part, problems } = await this.#read(path);
    const none = { settings: {}, problems, unusable: [] };
    if (part === undefined) return none;
    return { ...none, part: { ...part, text: splitFrontMatter(part.text).body.trim() } };
  }

  async #readOwn(path: string): Promise<ReadPart> {
    const { part, problems } = await this.#read(path);
    if (part === undefined) {
      // The file was listed, so it was meant to be read.
      const unread = problems.length > 0 ? problems : [`${path}: is a link to a file that is not there`];
      return { settings: {}, problems: unread, unusable: unread };
    }
    const matter = parseFrontMatter(path, part.text, channelSettingsShape, channelSettingsAliases);
    return {
      part: { ...part, text: matter.body.trim() },
      settings: toChannelSettings(matter.settings),
      problems: [...problems, ...matter.problems.map(({ text }) => text)],
      unusable: matter.problems.filter(concernsRestriction).map(({ text }) => text),
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

interface ReadPart {
  readonly part?: PromptPart;
  readonly settings: ChannelSettings;
  readonly problems: readonly string[];
  readonly unusable: readonly string[];
}
