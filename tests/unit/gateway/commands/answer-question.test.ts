import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../../../src/gateway/channels/discord/split-answer.js';
import {
  answerQuestion,
  decidedText,
  questionLine,
} from '../../../../src/gateway/commands/answer-question.js';
import type { StoredPermission } from '../../../../src/store/rows.js';

const question = (start: string, more: Partial<StoredPermission> = {}): StoredPermission => ({
  ...{
    id: `prm_${start}-0000-4000-8000-000000000000`,
    channel: 'a',
    eventId: 'e',
    turnId: 't',
    tool: 'Bash',
  },
  ...{ input: { command: `rm ${start}` }, options: ['allow', 'allow_always', 'deny'] },
  ...{ state: 'pending', createdAt: 1 },
  ...more,
});

const one = question('3f2a91c0');
const two = question('3f2b0000');

const told = (name: 'allow' | 'deny', argument: string, open: readonly StoredPermission[]) => {
  const answer = answerQuestion(name, argument, open);
  if (answer.type === 'refuse') return answer.text;
  return [answer.question.id.slice(4, 12), answer.decision, answer.message];
};

describe('/allow and /deny (18.5)', () => {
  it('allow nothing whose input was left out, and deny it all the same (27.10)', () => {
    const long = question('3f2a91c0', { input: undefined, inputLeftOut: true });
    expect(told('allow', '', [long])).toMatch(/^3f2a91c0 is too long to be shown here, and nothing was done/);
    expect(told('allow', '3f2a91c0 always', [long, two])).toMatch(/nothing was done/);
    expect(told('deny', '', [long])).toEqual(['3f2a91c0', 'deny', undefined]);
  });

  it('need no id if one question waits', () => {
    expect(told('allow', '', [one])).toEqual(['3f2a91c0', 'allow', undefined]);
    expect(told('allow', 'always', [one])).toEqual(['3f2a91c0', 'allow_always', undefined]);
    expect(told('deny', '', [one])).toEqual(['3f2a91c0', 'deny', undefined]);
    expect(told('deny', 'not in  this directory', [one])).toEqual([
      '3f2a91c0',
      'deny',
      'not in  this directory',
    ]);
  });

  it('take the beginning of an id, and what is behind it', () => {
    expect(told('allow', '3f2a', [one, two])).toEqual(['3f2a91c0', 'allow', undefined]);
    expect(told('allow', 'PRM_3F2B always', [one, two])).toEqual(['3f2b0000', 'allow_always', undefined]);
    expect(told('deny', `${two.id} too\nrisky`, [one, two])).toEqual(['3f2b0000', 'deny', 'too\nrisky']);
  });

  it('list the questions if it is not clear which one is meant', () => {
    const list = '3f2a91c0  Bash: rm 3f2a91c0\n3f2b0000  Bash: rm 3f2b0000';
    for (const [name, argument] of [
      ['allow', ''],
      ['deny', 'no, thanks'],
      ['allow', 'ffff0000'],
      ['deny', 'ffff0000 no'],
      ['allow', 'it'],
    ] as const)
      expect(told(name, argument, [one, two])).toContain(list);
    const alike = question('3f2a9999');
    expect(told('deny', '3f2a', [one, alike])).toMatch(/^Several questions begin with 3f2a:\n3f2a91c0/);
  });

  it('show all that "always" would allow beside the question, and in the answer (27.9)', () => {
    const asked = question('3f2a91c0', { always: 'rm *\nbash:*' });
    const rules = '\n  always: `rm *`\n  always: `bash:*`';
    expect(questionLine(asked)).toBe(`3f2a91c0  Bash: rm 3f2a91c0${rules}`);
    expect(decidedText(asked, 'allow_always')).toBe(`Allowed from now on: Bash: rm 3f2a91c0${rules}`);
    expect(decidedText(asked, 'allow')).toBe('Allowed: Bash: rm 3f2a91c0');
  });

  it('show each character of what is asked, and say what a line leaves out (27.9)', () => {
    const input = { command: 'echo hi\nrm -rf ~/work\u00a0#', dangerouslyDisableSandbox: true };
    const asked = question('3f2a91c0', { input, always: 'a\u200b *' });
    const line = '`Bash: echo hi␊rm -rf ~/work[U+00A0]# (+1 field';
    expect(questionLine(asked)).toBe(
      `3f2a91c0  ${line}: turnout permissions show 3f2a91c0)\`\n  always: \`a[U+200B] *\``,
    );
    expect(told('allow', '', [asked, two])).toContain(line);
    expect(decidedText(asked, 'allow')).toBe(`Allowed: ${line})\``);
    const left = question('3f2a91c0', { input: undefined, inputLeftOut: true });
    expect(questionLine(left)).toBe(
      '3f2a91c0  Bash: (too long to be shown here: turnout permissions show 3f2a91c0)',
    );
  });

  it('hide no part of a command in Markdown (27.9)', () => {
    const command = 'ls ||; rm -rf ~ || `x` <!-- y';
    const line = '3f2a91c0  `Bash: ls ||; rm -rf ~ || [U+0060]x[U+0060] <!-- y`';
    expect(questionLine(question('3f2a91c0', { input: { command } }))).toBe(line);
    expect(splitAnswer(`asks: ${line}`).pieces).toEqual([`asks: ${line}`]);
  });

  it('do nothing if nothing is asked, if it is not offered, or if it is no answer', () => {
    expect(told('allow', '', [])).toBe('Nothing waits for a permission here.');
    expect(told('allow', 'always', [question('1', { options: ['allow', 'deny'] })])).toMatch(
      /choose allow, deny/,
    );
    expect(told('allow', '3f2a please', [one])).toMatch(/nothing was done/);
    // An id of a question that is answered by now is no reason to deny another one.
    expect(told('deny', 'prm_0 no', [one])).toMatch(/^No question "prm_0" waits here/);
    expect(told('allow', '0000aaaa', [one])).toMatch(/^No question "0000aaaa" waits here/);
  });
});
