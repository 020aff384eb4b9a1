import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnView } from '../../../../../../src/gateway/channels/discord/progress/render-progress.js';

describe('the text of a progress message (17.2)', () => {
  it('tells the time and what is done', () => {
    const view = new TurnView('t', 1000);
    expect(view.render(1000)).toBe('⏳ 0 ms · working');
    view.thinks();
    expect(view.state).toBe('thinking');
    view.toolBegan('1', 'Bash', { command: 'npm `test`\n' });
    expect(view.render(13_400)).toBe('⏳ 12 s · `Bash: npm ˋtestˋ`');
    view.toolEnded('1');
    view.said('hello');
    expect(view.render(91_000)).toBe('⏳ 1 min 30 s · working\nhello');
  });

  it('tells that a turn is tried again, and why', () => {
    const view = new TurnView('t', 1000);
    view.said('half of');
    view.triesAgain({ number: 2, of: 3, reason: 'the CLI crashed' });
    expect(view.render(6000)).toBe('⏳ 5 s · trying again (2 of 3): `the CLI crashed`\nhalf of');
    view.beginsAgain('u');
    expect(view.state).toBe('trying again (2 of 3): `the CLI crashed`');
    view.said('all');
    expect(view.state).toBe('working\nall');
  });

  it('shows the last lines, and cuts between what people take for characters', () => {
    const view = new TurnView('t', 0);
    view.said(Array.from({ length: 30 }, (_, line) => `${line}\n`).join(''));
    expect(view.state).toBe('working\n…\n22\n23\n24\n25\n26\n27\n28\n29');
    const family = '👨‍👩‍👧‍👦';
    const long = new TurnView('t', 0);
    long.said(family.repeat(300));
    expect(long.state.split(family).join('')).toBe('working\n…\n');
    expect(long.renderStopped(2000)).toMatch(/^⏹️ Stopped after 2 s\. So far:\n…\n/);
  });

  it('closes and opens code blocks that are cut', () => {
    const view = new TurnView('t', 0);
    view.said(`\`\`\`js\n${'line of code\n'.repeat(3000)}last`);
    expect(view.state).toMatch(/^working\n…\n```\n(?:line of code\n)+last\n```$/);
    view.said('\n```\nend');
    expect(view.state).toMatch(/^working\n…\n```\n(?:line of code\n)+last\n```\nend$/);
  });

  it('is valid for Discord, whatever is said', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom('```', '\n```\n', '😀'.repeat(500), 'x'.repeat(9000), '\n'.repeat(800)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.string(), (pieces, tool) => {
        const view = new TurnView('t', 0);
        view.toolBegan('1', tool, {});
        for (const text of pieces) view.said(text);
        const shown = view.render(5000);
        expect(shown.length).toBeLessThanOrEqual(2000);
        expect(shown).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 60 },
    );
  });
});
