import { describe, expect, it } from 'vitest';
import { canRedraw, hasColours } from '../../../src/core/colours.js';

const terminal = { isTTY: true };

describe('colours (18.8)', () => {
  it.each([
    [terminal, {}, true],
    [terminal, { TERM: 'xterm-256color', NO_COLOR: '' }, true],
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { TERM: 'dumb' }, false],
    [{}, {}, false],
    [{}, { FORCE_COLOR: '1' }, true],
    [{}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [terminal, { FORCE_COLOR: '0' }, false],
  ])('%j with %j: %s', (stream, env, expected) => {
    expect(hasColours(stream, env)).toBe(expected);
  });

  it('never make a row be written over where there is none', () => {
    expect(canRedraw({}, { FORCE_COLOR: '1' })).toBe(false);
    expect(canRedraw(terminal, { TERM: 'dumb' })).toBe(false);
    expect(canRedraw(terminal, { NO_COLOR: '1' })).toBe(true);
  });
});
