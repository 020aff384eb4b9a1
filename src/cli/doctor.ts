import { parseArgs } from 'node:util';
import { TurnoutError } from '../core/errors.js';
import { loadConfig } from '../gateway/config.js';
import { type CliReport, inspectClis } from './inspect-clis.js';
import { readEnvironment } from './read-environment.js';
import { usage } from './usage.js';
import { version } from './version.js';

/** `turnout doctor`: which CLIs are here, and what each can do. */
export async function main(argv: readonly string[]): Promise<number> {
  let options: { json?: boolean | undefined; help?: boolean | undefined };
  try {
    options = parseArgs({
      args: [...argv],
      options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    }).values;
  } catch (error) {
    process.stderr.write(`turnout: ${(error as Error).message}\nSee \`turnout help doctor\`.\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(usage('doctor'));
    return 0;
  }
  try {
    const environment = readEnvironment(process.cwd(), process.env);
    const config = loadConfig(environment);
    const clis = await inspectClis(config, environment);
    const report = {
      turnout: version(),
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      home: config.home,
      defaultBackend: config.agentBackend,
      warnings: config.warnings,
      clis,
    };
    process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : table(report));
    return clis.some((cli) => cli.usable) ? 0 : 3;
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return 2;
  }
}

function table(report: {
  turnout: string;
  node: string;
  platform: string;
  home: string;
  defaultBackend: string;
  warnings: readonly string[];
  clis: readonly CliReport[];
}): string {
  const lines = [
    `Turnout ${report.turnout} · Node ${report.node} · ${report.platform} · state in ${report.home}`,
    '',
  ];
  for (const cli of report.clis) {
    const mark = cli.usable ? 'ok     ' : 'missing';
    const isDefault = cli.backend === report.defaultBackend ? ' (default)' : '';
    lines.push(
      `${mark}  ${cli.backend.padEnd(9)} ${cli.usable ? `${cli.version ?? 'unknown version'}  ${cli.path}` : (cli.problem ?? '')}${isDefault}`,
    );
    if (cli.usable) lines.push(`${' '.repeat(19)}${abilities(cli)}`);
    else lines.push(`${' '.repeat(19)}install it with: ${cli.install}`);
  }
  for (const warning of report.warnings) lines.push('', `warning: ${warning}`);
  return `${lines.join('\n')}\n`;
}

function abilities({ capabilities }: CliReport): string {
  const yes = [
    capabilities.textDeltas ? 'streams word by word' : 'streams message by message',
    ...(capabilities.thinking ? ['thinking'] : []),
    ...(capabilities.maxTurns ? ['max turns'] : []),
    ...(capabilities.allowedTools ? ['tool filter'] : []),
    ...(capabilities.mcpConfig ? ['MCP per run'] : []),
  ];
  return `${yes.join(', ')}; modes ${capabilities.permissionModes.join(', ')}`;
}
