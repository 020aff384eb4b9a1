import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnView } from '../../../../../../src/gateway/channels/discord/progress/render-progress.js';

describe('the text of a progress message (17.2)', () => {
  it('tells the time and what is done', () => {
    const view = new TurnView('t', 1000);
    expect(view.render(1000)).toBe('⏳ 0 ms · works');
    view.toolBegan('1', 'Bash');
    expect(view.render(13_400)).toBe('⏳ 12 s · runs `Bash`');
    view.toolEnded('1');
    view.said('hello');
    expect(view.render(91_000)).toBe('⏳ 1 min 30 s · works\nhello');
    view.waitsForPerson = true;
    expect(view.state).toBe('waits for a decision\nhello');
  });

  it('closes and opens code blocks that are cut', () => {
    const view = new TurnView('t', 0);
    view.said(`\`\`\`js\n${'line of code\n'.repeat(3000)}last`);
    expect(view.state).toMatch(/^works\n…\n```\n(?:line of code\n)+last\n```$/);
    view.said('\n```\nend');
    expect(view.state).toMatch(/^works\n…\n```\n(?:line of code\n)+last\n```\nend$/);
  });

  it('is valid for Discord, whatever is said', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom('```', '\n```\n', '😀'.repeat(500), 'x'.repeat(9000), '\n'.repeat(800)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.string(), (pieces, tool) => {
        const view = new TurnView('t', 0);
        view.toolBegan('1', tool);
        for (const text of pieces) view.said(text);
        const shown = view.render(5000);
        expect(shown.length).toBeLessThanOrEqual(2000);
        expect(shown).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 60 },
    );
  });
});
