import { pinnedSdkVersions, pinnedVersions } from '../install-cli.js';
import { declaredDifferences } from './declared.js';
import { type Cell, comparedWays, type ParityRow } from './run-parity.js';

/** The page with the comparison: the same from run to run as long as nothing changes. */
export function parityPage(rows: readonly ParityRow[]): string {
  const header = ['scenario', ...comparedWays];
  const reasons = [...new Set(rows.flatMap(({ cells }) => Object.values(cells).flatMap(impossible)))];
  const body = rows.map(({ scenario: { id, title }, cells }) => [
    `**${id}**: ${title}`,
    ...comparedWays.map((way) => show(cells[way], reasons)),
  ]);
  return [
    '# Parity with the vendors’ SDKs',
    '',
    'Written by `npm run test:real`. The same scenarios, with the same script for the model, through the vendor’s SDK and',
    'through Turnout, live and one-shot; what each tells is brought to one list and compared item by item: session ids',
    '(are they well-formed, do they stay), pieces of text and thinking and their order, tools with input and output,',
    'permission requests and decisions, retries, notices, usage, the answer or the failure, what is on disk afterwards,',
    'and the conversation as the model has it. A difference that is not declared below fails the run, and so does a',
    'declared one that does not show.',
    '',
    `- \`@anthropic-ai/claude-agent-sdk\` ${pinnedSdkVersions['@anthropic-ai/claude-agent-sdk']} with Claude Code ${pinnedVersions.claude}`,
    `- \`@openai/codex-sdk\` ${pinnedSdkVersions['@openai/codex-sdk']} with Codex ${pinnedVersions.codex}`,
    '',
    ...[header, header.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`),
    '',
    '## Declared differences',
    '',
    ...declaredDifferences.map(({ reason }, index) => `${index + 1}. ${reason}`),
    '',
    '## Not compared',
    '',
    ...reasons.map((reason, index) => `- ${letter(index)}: ${reason}`),
    '',
  ].join('\n');
}

function impossible(cell: Cell): readonly string[] {
  return cell.type === 'impossible' ? [cell.reason] : [];
}

function show(cell: Cell, reasons: readonly string[]): string {
  if (cell.type === 'impossible') return `not compared (${letter(reasons.indexOf(cell.reason))})`;
  if (cell.problems.length > 0) return '**differs**';
  const numbers = cell.declared.map((one) => declaredDifferences.indexOf(one) + 1);
  return numbers.length === 0 ? 'equal' : `equal but for ${numbers.join(', ')}`;
}

function letter(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}
