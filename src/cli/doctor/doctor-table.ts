import { pinnedVersion } from '../../backends/launch/vetted.js';
import type { DiscordReport } from '../../gateway/channels/discord/check-discord.js';
import { type CliReport, isDemoAgent } from './inspect-clis.js';
import { signInCommand } from './sign-in.js';

/** What `turnout doctor` has found. */
export interface DoctorReport {
  readonly turnout: string;
  readonly node: string;
  readonly platform: string;
  readonly home: string;
  readonly defaultBackend: string;
  /** Settings that commands refuse: files, and values in them. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly discord: DiscordReport;
  readonly clis: readonly CliReport[];
}

export function doctorTable(report: DoctorReport): string {
  const lines = [
    `Turnout ${report.turnout} · Node ${report.node} · ${report.platform} · state in ${report.home}`,
    '',
  ];
  for (const problem of report.problems)
    lines.push(`WRONG    ${problem.replaceAll('\n', '\n         ')}`, '');
  for (const cli of report.clis) {
    const mark = !cli.usable ? 'missing' : cli.signedIn === 'no' ? 'sign in' : 'ok     ';
    const isDefault = cli.backend === report.defaultBackend ? ' (default)' : '';
    lines.push(
      `${mark}  ${cli.backend.padEnd(9)} ${cli.usable ? `${cli.version ?? 'unknown version'}  ${cli.path}` : (cli.problem ?? '')}${isDefault}`,
    );
    const more = cli.usable ? [standing(cli), account(cli), abilities(cli), modes(cli)] : [notUsable(cli)];
    lines.push(...more.flatMap((line) => wrapped(line, 19)));
  }
  lines.push('', `Discord  ${report.discord.summary}`);
  for (const warning of report.warnings) lines.push('', `warning: ${warning}`);
  return `${lines.join('\n')}\n`;
}

/** A terminal would break a long line within its words. */
function wrapped(text: string, indent: number): readonly string[] {
  const width = process.stdout.isTTY ? Math.max(40, (process.stdout.columns || 80) - indent - 1) : Infinity;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`);
}

function notUsable({ install, setting }: CliReport): string {
  const otherwise = setting === undefined ? '' : `; or correct ${setting}, or take it away`;
  return `install it with: ${install}${otherwise}`;
}

function standing({ backend, vetting, checked, advice, install, version: printed }: CliReport): string {
  if (isDemoAgent(printed)) return 'the demo agent: it calls no model';
  if (vetting === 'vetted') return 'vetted';
  if (checked)
    return `${vetting} than the vetted ${pinnedVersion(backend)}; it passed \`turnout doctor --deep\` here`;
  if (vetting !== undefined) return `${vetting} than the vetted ${pinnedVersion(backend)}: ${advice}`;
  if (pinnedVersion(backend) === undefined) return 'not vetted: the lab does not know this CLI';
  return `not vetted: the version is not known; a vetted one: ${install}`;
}

function abilities({ capabilities }: CliReport): string {
  const yes = [
    capabilities.textDeltas ? 'streams word by word' : 'streams message by message',
    ...(capabilities.thinking ? ['thinking'] : []),
    ...(capabilities.thinkingDepth?.length ? ['thinking depth'] : []),
    ...(capabilities.maxTurns ? ['max turns'] : []),
    ...(capabilities.allowedTools ? ['tool filter'] : []),
    ...(capabilities.mcpConfig ? ['MCP per run'] : []),
  ];
  return yes.join(', ');
}

/** `ask` needs a live session: a one-shot CLI has ended its turn before anybody could answer. */
function modes({ capabilities, live }: CliReport): string {
  const liveModes = live === undefined ? '' : `; live: ${live.permissionModes.join(', ')}`;
  return `modes: ${capabilities.permissionModes.join(', ')}${liveModes}`;
}

function account({ backend, signedIn, credentials, signIn, version: printed }: CliReport): string {
  const kind = credentials === undefined ? '' : `: ${credentials}`;
  if (isDemoAgent(printed)) return 'needs no account';
  if (signedIn === 'yes') return `signed in${kind}`;
  if (signedIn === 'no') return `not signed in: ${signInCommand(backend) ?? signIn ?? 'it has no account'}`;
  return `no key or account was found${kind}; it may need none, or keep it where only it looks`;
}
