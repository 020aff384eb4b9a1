import { type ChatEvent, type NoticeEvent, notice } from '../../core/chat-event.js';
import { isChecked } from './checked-versions.js';
import { compareVersions } from './cli-version.js';
import listed from './vetted-versions.json' with { type: 'json' };

/**
 * The versions of each CLI that passed every scenario of the lab, the only list of them: the product and the scripts read it.
 * The first one is pinned: it is what the lab installs, what the recordings were made with, and what users are told to
 * install. `npm run lab` writes the others.
 */
export const vettedVersions: Readonly<Record<string, readonly string[]>> = listed;

export type Vetting = 'vetted' | 'older' | 'newer';

/** Returns the version that is pinned, or undefined for a backend that the lab does not know. */
export function pinnedVersion(backend: string): string | undefined {
  return vettedOf(backend)[0];
}

/** Any text may be the name of a registered backend. */
function vettedOf(backend: string): readonly string[] {
  return Object.hasOwn(vettedVersions, backend) ? (vettedVersions[backend] ?? []) : [];
}

/** Returns undefined if the version is not known, or the lab does not know the backend. */
export function vettingOf(backend: string, version: string | undefined): Vetting | undefined {
  const pinned = pinnedVersion(backend);
  if (pinned === undefined || version === undefined) return undefined;
  if (vettedOf(backend).includes(version)) return 'vetted';
  return compareVersions(version, pinned) < 0 ? 'older' : 'newer';
}

/** The facts about a CLI that a user is told with its version. */
export interface NamedCli {
  readonly name: string;
  readonly label: string;
  /** The npm package that has the CLI, if one has. */
  readonly npmPackage?: string | undefined;
}

/**
 * Returns the notice of a turn whose CLI has a version that was not vetted, nor has passed `turnout doctor --deep` on this
 * machine, by the file in Turnout's `home`.
 */
export function vettingNotice(
  cli: NamedCli,
  version: string | undefined,
  home?: string,
): NoticeEvent | undefined {
  const vetting = vettingOf(cli.name, version);
  if (version === undefined || vetting === undefined || vetting === 'vetted') return undefined;
  if (home !== undefined && isChecked(home, cli.name, version)) return undefined;
  const advice = vettingAdvice(cli.name, vetting, cli.npmPackage);
  const message = `${cli.label} ${version} is ${vetting} than the vetted ${pinnedVersion(cli.name)}: ${advice}.`;
  // Vendors release every day: a newer version is the rule, and mostly works.
  return notice(vetting === 'older' ? 'warning' : 'info', message);
}

/** True for the notices of `vettingNotice`. */
export function isVettingNotice(event: ChatEvent): event is NoticeEvent {
  return event.type === 'notice' && / is (older|newer) than the vetted \d/.test(event.message);
}

/** What to do about a version that was not vetted, as the end of a sentence. */
export function vettingAdvice(
  backend: string,
  vetting: Exclude<Vetting, 'vetted'>,
  npmPackage: string | undefined,
): string {
  const install =
    npmPackage === undefined
      ? `install ${pinnedVersion(backend)}`
      : `\`${npm(backend, npmPackage).install}\``;
  const check = `check it with \`turnout doctor --deep --backend ${backend}\``;
  return vetting === 'older'
    ? `update it with ${install}, or ${check}`
    : `${check}, or go back with ${install}`;
}

/** The two facts about a CLI that npm installs. The command installs the pinned version, if the lab knows the backend. */
export function npm(
  backend: string,
  npmPackage: string,
): { readonly npmPackage: string; readonly install: string } {
  const version = pinnedVersion(backend);
  return { npmPackage, install: `npm install -g ${npmPackage}${version === undefined ? '' : `@${version}`}` };
}
