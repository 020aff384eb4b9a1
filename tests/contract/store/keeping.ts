import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quote } from '../../../src/core/text.js';
import { readDay } from '../../../src/gateway/archive/read-day.js';
import { renderEntry } from '../../../src/gateway/archive/render-markdown.js';
import { anyCharacter } from '../../property/arbitraries.js';
import { outcome, type StoreStage } from './stage.js';

/** Any characters, with more of those that a database or our own encoding could get wrong. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(fc.constantFrom('\0', '\u0001', 'NUL', '\u0002', 'a', 'b', '␀', '\\0', "'", '\uFEFF', '\n', '🚂'))
    .map((pieces) => pieces.join('')),
  fc.string({ unit: anyCharacter }).map((text) => `\u0001NUL\u0002${text}`),
);

export function describeKeeping(stage: StoreStage): void {
  describe('what was said', () => {
    it('is given back as it was, whatever it holds', async () => {
      let count = 0;
      const said = fc.tuple(anyText, anyText, anyText);
      await fc.assert(
        fc.asyncProperty(said, async ([text, answer, name]) => {
          const channel = `c${++count}`;
          const messageId = `m${name}`;
          const { event } = await stage.accept(channel, text, { author: name, messageId });
          expect(event.text).toBe(text);
          expect(await stage.accept(channel, text, { messageId })).toMatchObject({ repeated: true });
          expect(await stage.store.waiting(channel, 1)).toMatchObject([{ text, author: name, messageId }]);
          const claim = await stage.claimOne();
          expect(claim.event.text).toBe(text);
          await stage.store.askPermission(claim.lease, {
            ...{ id: `p${count}`, tool: name, input: { text }, options: ['allow'], at: 1 },
          });
          await stage.store.decidePermission(`p${count}`, { decision: 'allow', message: answer, at: 2 });
          expect(await stage.store.permission(`p${count}`)).toMatchObject({
            ...{ tool: name, input: { text }, message: answer },
          });
          const session = { backend: 'claude', sessionId: name, cwd: text };
          const events = [{ type: 'text', text: answer }] as const;
          await stage.store.finish(claim.lease, outcome(answer, { session, events }));
          expect(await stage.store.event(event.id)).toMatchObject({
            text,
            author: name,
            responseText: answer,
          });
          expect(await stage.store.eventOf('http', channel, messageId)).toMatchObject({ id: event.id });
          for (const messages of [
            await stage.store.messages(channel, { limit: 9 }),
            await stage.store.conversation(channel, { limit: 9 }),
          ]) {
            expect(messages.map((message) => message.text)).toEqual([text, answer]);
          }
          expect(await stage.store.session(channel, 'claude')).toMatchObject(session);
          expect(await stage.store.turnEvents(claim.lease.turnId)).toEqual(events);
          const [delivery] = await stage.store.undelivered({ now: 30, limit: 1 });
          expect(delivery?.message.text).toBe(answer);
          await stage.store.delivered([delivery?.id ?? 0], 31);
          let page = '';
          for await (const entry of readDay(stage.store, channel, '1970-01-01')) page += renderEntry(entry);
          expect(page).toContain(quote(text));
          expect(page).toContain(quote(answer));
        }),
      );
      await stage.reopen();
      expect(await stage.store.channels()).toHaveLength(count);
    });
  });
}
