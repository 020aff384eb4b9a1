import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionLine } from '../../../../src/cli/run/question-line.js';

describe('what `run` asks can’t be disguised (18.1)', () => {
  it.each([
    ['Bash', { command: 'npm test\nls' }, String.raw`Bash: {"command":"npm test\nls"}`],
    ['Bash', { command: 'a\u202eb\u200b\u001b]c\rd' }, 'Bash: {"command":"a[U+202E]b[U+200B]␛]c␍d"}'],
    ['Bash', { command: `ls${' '.repeat(3000)};rm` }, 'Bash: {"command":"ls… 3000 spaces …;rm"}'],
    [
      'Bash',
      { command: `ls${'\n'.repeat(3000)}rm` },
      String.raw`Bash: {"command":"ls\n… 2999 empty lines …\nrm"}`,
    ],
    ['Bash: {}\n\nturnout: Read', {}, String.raw`"Bash: {}\n\nturnout: Read": {}`],
    ['wipe: {}\rRead', {}, '"wipe: {}␍Read": {}'],
  ])('%j %j', (tool, input, shown) => {
    expect(questionLine({ tool, input })).toBe(`the agent wants to use ${shown}`);
  });

  it('it is one line without anything that can’t be seen, whatever a model writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (tool) => {
        const line = questionLine({ tool, input: { [tool]: [tool] } });
        expect(line).not.toMatch(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\s{40}/u);
      }),
    );
  });
});
