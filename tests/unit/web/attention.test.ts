import { describe, expect, it, vi } from 'vitest';
import type { MessageView } from '../../../src/gateway/channels/http/wire.js';

vi.stubGlobal('addEventListener', () => undefined);
const { newsBehind } = await import('../../../web/conversation/use-attention.js');

describe('what is told of a conversation (16.4)', () => {
  const said = (id: number, role: MessageView['role']): MessageView => {
    return { id: String(id), eventId: null, role, text: role, createdAt: '2026-01-01T00:00:00.000Z' };
  };

  it('is every answer, also with a prompt behind it in the same frame', () => {
    const ids = (messages: readonly MessageView[], id: number) =>
      newsBehind(messages, id).map((one) => one.id);
    const messages = [said(8, 'user'), said(9, 'assistant'), said(10, 'user')];
    expect(ids(messages, 8)).toEqual(['9']);
    expect(ids(messages, 10)).toEqual([]);
    // The answer of a heartbeat that had nothing to say (18.5).
    expect(ids([said(8, 'user'), { ...said(9, 'assistant'), silent: true }], 8)).toEqual([]);
    const many = Array.from({ length: 20 }, (_, id) => said(id, 'system'));
    expect(ids(many, 2)).toEqual(['17', '18', '19']);
  });
});
