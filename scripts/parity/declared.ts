import type { Fact, Failure } from './facts.js';
import type { Vendor } from './side.js';

/** Turnout's two ways, for each vendor: what is compared with the SDK. */
export type Compared = `${Vendor} ${'live' | 'one-shot'}`;

/** A difference that is meant to be. Taken out of both lists, they must be equal; and without it they must not. */
export interface DeclaredDifference {
  readonly reason: string;
  /** The scenarios that it shows in. */
  readonly where: Partial<Readonly<Record<Compared, readonly string[]>>>;
  /** It depends on timing, so it need not show in each run. */
  readonly sometimes?: true;
  takeOut(facts: readonly Fact[]): readonly Fact[];
}

const cutOff = ['interrupted-text', 'interrupted-thinking'];
const interrupted = [...cutOff, 'interrupted-tool'];
const failed = [...interrupted, 'api-401', 'api-429'];
const withTools = ['tool', 'failing-tool', 'two-tools', 'write-file', 'interrupted-tool'];

export const declaredDifferences: readonly DeclaredDifference[] = [
  {
    reason:
      'An answer without a word is a success for the SDK. For Turnout it is an error: silence must not pass for an answer.',
    where: {
      'claude live': ['empty-answer'],
      'claude one-shot': ['empty-answer'],
      'codex live': ['empty-answer'],
      'codex one-shot': ['empty-answer'],
    },
    takeOut: each((fact) =>
      fact.type === 'failure' && fact.message.endsWith('gave an empty answer')
        ? { type: 'answer', text: '', stopReason: 'end_turn' }
        : fact,
    ),
  },
  {
    reason:
      'The Codex SDK tells whole messages and whole thoughts; a live session tells them piece by piece.',
    where: { 'codex live': ['text-pieces', 'thinking'] },
    takeOut: joinPieces,
  },
  {
    reason:
      'Of a message or a thought that was cut off the Codex SDK tells nothing; a live session has told the pieces so far.',
    where: { 'codex live': cutOff },
    takeOut: (facts) => {
      const end = facts.findIndex(({ type }) => type === 'failure');
      return facts.filter(({ type }, index) => index > end || (type !== 'text' && type !== 'thinking'));
    },
  },
  {
    reason:
      'The Codex SDK names the kind of an item (`command_execution`, `file_change`), Turnout the tool (`shell`, `apply_patch`).',
    where: { 'codex live': withTools, 'codex one-shot': withTools },
    takeOut: each((fact) =>
      fact.type === 'tool' ? { ...fact, name: toolNames.get(fact.name) ?? fact.name } : fact,
    ),
  },
  {
    reason: 'A change of files has no output in the Codex SDK; in Turnout its output is what was changed.',
    where: { 'codex live': ['write-file'], 'codex one-shot': ['write-file'] },
    takeOut: each((fact) => (fact.type === 'output' ? { ...fact, output: '' } : fact)),
  },
  {
    reason:
      'A change of files is told with its diff by a live session, before it is made: a person can be asked about it. The Codex SDK tells the paths.',
    where: { 'codex live': ['write-file'] },
    takeOut: each((fact) => (fact.type === 'tool' ? { ...fact, input: withoutDiffs(fact.input) } : fact)),
  },
  {
    reason:
      'Usage in the Codex SDK is the running total of the thread; in Turnout it is what this turn used. A one-shot run that resumes a thread whose total it does not know tells none.',
    where: {
      'codex live': ['three-turns', 'resume'],
      'codex one-shot': ['three-turns', 'resume', ...failed],
    },
    takeOut: (facts) => {
      const first = facts.findIndex(({ type }) => type === 'answer' || type === 'failure');
      return facts.filter(({ type }, index) => index < first || type !== 'usage');
    },
  },
  {
    reason:
      'An SDK tells a failure in words, and where it has a kind, only for some; Turnout always gives a code (here read from the SDK’s words).',
    where: {
      'claude live': ['unknown-session'],
      'claude one-shot': ['unknown-session'],
      'codex live': ['unknown-session', 'api-401', 'api-429'],
      'codex one-shot': ['unknown-session', 'api-401', 'api-429'],
    },
    takeOut: eachFailure((fact) => ({ ...fact, code: fact.code ?? codeInWords(fact.message) })),
  },
  {
    reason:
      'The Codex SDK throws, also after it told a failure; a turn of Turnout ends with an event. A live session is resumed when it is opened, so `open` is what rejects there.',
    where: {
      'claude live': ['unknown-session'],
      'codex live': ['unknown-session', ...failed],
      'codex one-shot': ['unknown-session', ...failed],
    },
    takeOut: eachFailure((fact) => ({ ...fact, how: 'told' })),
  },
  {
    reason:
      'Where the CLI itself ended, Turnout’s words begin with its name and exit code (R8.2); the Codex SDK puts all that the CLI wrote to stderr into its own.',
    where: {
      'claude one-shot': ['unknown-session', 'api-401', 'api-429'],
      'codex one-shot': ['unknown-session', 'api-401', 'api-429'],
    },
    takeOut: eachFailure((fact) => ({ ...fact, message: essence(fact.message) })),
  },
  {
    reason: 'The Codex SDK tells a final failure twice: as an `error` and as `turn.failed`.',
    where: { 'codex live': ['api-401', 'api-429'], 'codex one-shot': ['api-401', 'api-429'] },
    takeOut: (facts) => {
      const told = new Set(facts.flatMap((fact) => (fact.type === 'failure' ? [fact.message] : [])));
      return facts.filter((fact) => fact.type !== 'notice' || !told.has(fact.message));
    },
  },
  {
    reason: 'The Claude SDK throws the last failure once more when its input ends.',
    where: { 'claude live': ['unknown-session'], 'claude one-shot': ['unknown-session'] },
    takeOut: (facts) => facts.filter((fact) => fact.type !== 'check' || !fact.what.startsWith('thrown')),
  },
  {
    reason:
      'The Claude SDK tells zero usage for a session that never began; a live session that could not be opened has no turn to tell it in.',
    where: { 'claude live': ['unknown-session'] },
    takeOut: (facts) => facts.filter((fact) => fact.type !== 'usage' || fact.input > 0),
  },
  {
    reason:
      'What the Claude SDK suggests for “always” is written into the project’s settings; what is always allowed in Turnout is so for the session.',
    where: { 'claude live': ['permission-always'] },
    takeOut: (facts) => facts.filter((fact) => fact.type !== 'check' || !fact.what.includes('settings')),
  },
  {
    reason: 'Each has its own words for an interrupt.',
    where: {
      'claude live': [...interrupted, 'permission-interrupted'],
      'claude one-shot': interrupted,
      'codex live': interrupted,
      'codex one-shot': interrupted,
    },
    takeOut: eachFailure((fact) => (fact.code === 'interrupted' ? { ...fact, message: '' } : fact)),
  },
  {
    reason:
      'An interrupt ends the process of a one-shot run: it says nothing more (no usage), and of what it had begun to say the next turn knows nothing.',
    where: { 'claude one-shot': interrupted },
    takeOut: (facts) => {
      const end = facts.findIndex(({ type }) => type === 'failure');
      return facts.filter((fact, index) =>
        index < end
          ? fact.type !== 'usage'
          : fact.type !== 'check' || !fact.what.startsWith('the conversation'),
      );
    },
  },
  {
    reason:
      'A tool that an interrupt overtakes is always ended in Turnout; the Codex SDK leaves it open, and Claude has other words for it when its process is ended too.',
    where: {
      'claude one-shot': ['interrupted-tool'],
      'codex live': ['interrupted-tool'],
      'codex one-shot': ['interrupted-tool'],
    },
    takeOut: (facts) => facts.filter(({ type }) => type !== 'output'),
  },
  {
    reason:
      'A live session of Codex tells the usage of a turn that is interrupted in a tool; the SDK tells none.',
    where: { 'codex live': ['interrupted-tool'] },
    sometimes: true,
    takeOut: (facts) =>
      facts.filter((fact, index) => fact.type !== 'usage' || facts[index + 1]?.type !== 'failure'),
  },
  {
    reason:
      'Of a session that is not there Turnout tells in its own words, the same for each CLI; those of the CLI are in `detail`.',
    where: { 'claude live': ['unknown-session'], 'codex live': ['unknown-session'] },
    takeOut: each((fact) =>
      fact.type === 'failure' && fact.code === 'session_not_found' ? { ...fact, message: '' } : fact,
    ),
  },
];

const toolNames: ReadonlyMap<string, string> = new Map([
  ['command_execution', 'shell'],
  ['file_change', 'apply_patch'],
]);

function each(change: (fact: Fact) => Fact): DeclaredDifference['takeOut'] {
  return (facts) => facts.map(change);
}

function eachFailure(change: (fact: Failure) => Failure): DeclaredDifference['takeOut'] {
  return each((fact) => (fact.type === 'failure' ? change(fact) : fact));
}

function joinPieces(facts: readonly Fact[]): readonly Fact[] {
  const joined: Fact[] = [];
  for (const fact of facts) {
    const last = joined.at(-1);
    const isPiece = fact.type === 'text' || fact.type === 'thinking';
    if (isPiece && last?.type === fact.type) joined.splice(-1, 1, { ...fact, text: last.text + fact.text });
    else joined.push(fact);
  }
  return joined;
}

function withoutDiffs(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input), (key, value) => (key === 'diff' ? undefined : value));
}

function codeInWords(message: string): Failure['code'] {
  if (/no conversation found|no rollout found/i.test(message)) return 'session_not_found';
  if (/\b401\b/.test(message)) return 'auth';
  return /\b429\b/.test(message) ? 'rate_limit' : undefined;
}

/** Without whoever says it, and without what else stood on stderr. */
function essence(message: string): string {
  const missing = /no (?:conversation|rollout) found .*[0-9a-f-]{36}/i.exec(message)?.[0];
  return missing ?? message.replace(/^(Claude|Codex) CLI error \(exit \d+\): /, '').trim();
}
