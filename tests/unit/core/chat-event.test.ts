import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, it } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';

const types = [
  ...(['session', 'text', 'thinking_start', 'thinking', 'thinking_end', 'tool_start', 'tool_end'] as const),
  ...(['permission_request', 'permission_resolved', 'usage', 'notice', 'error', 'complete'] as const),
];

it('ChatEvent has these types and no other, and events.md describes each (S2)', () => {
  // The compiler checks this one, in `npm run check`.
  expectTypeOf<ChatEvent['type']>().toEqualTypeOf<(typeof types)[number]>();
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  const table = /^\| -+.*\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? '';
  const described = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? []);
  expect(described.sort()).toEqual([...types].sort());
});
