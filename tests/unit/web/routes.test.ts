import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRoute, printRoute, type Route } from '../../../web/routes.js';

const anyText = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.isWellFormed());

describe('the addresses of the page', () => {
  it.each([
    ['', { type: 'start' }],
    ['#/', { type: 'start' }],
    ['#/c/', { type: 'start' }],
    ['#/nothing', { type: 'start' }],
    ['#/c/a/changes/more', { type: 'start' }],
    ['#/c/a', { type: 'conversation', channel: 'a' }],
    ['#/c/a%', { type: 'conversation', channel: 'a%' }],
    ['#/c/a/changes', { type: 'changes', channel: 'a' }],
    ['#/statistics', { type: 'statistics' }],
    ['#/chains', { type: 'chains' }],
  ])('%j (16.4)', (fragment, route) => {
    expect(parseRoute(fragment)).toEqual(route);
  });

  it('leads back to the view that it was printed for (16.4)', () => {
    const routes = fc.oneof(
      anyText.map((channel): Route => ({ type: 'conversation', channel })),
      anyText.map((channel): Route => ({ type: 'changes', channel })),
      anyText.map((runId): Route => ({ type: 'chains', runId })),
    );
    fc.assert(
      fc.property(routes, (route) => {
        expect(parseRoute(printRoute(route))).toEqual(route);
      }),
    );
  });
});
