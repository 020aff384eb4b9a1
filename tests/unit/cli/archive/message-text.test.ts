import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { writeMessage } from '../../../../src/cli/archive/message-text.js';
import { Terminal } from '../../../../src/cli/output/terminal.js';
import { questionText } from '../../../../src/core/question-text.js';
import type { MessageView } from '../../../../src/gateway/channels/http/wire.js';
import type { StoredPermission } from '../../../../src/store/rows.js';

const id = 'prm_3f2a91c0-0000-4000-8000-000000000000';
const text = questionText({ id, tool: 'Bash', input: { command: 'ls' }, options: ['allow', 'deny'] });

async function written(message: Partial<MessageView>, question?: Partial<StoredPermission>): Promise<string> {
  const out = new PassThrough();
  const terminal = new Terminal(out, new PassThrough());
  const whole = {
    id: '1',
    eventId: null,
    role: 'system',
    text,
    createdAt: '2026-01-31T12:00:00Z',
    ...message,
  };
  const permission = async () =>
    (question === undefined ? undefined : { id, ...question }) as StoredPermission;
  await writeMessage(whole as MessageView, { permission }, terminal, false);
  return String(out.read());
}

it('history: a question comes with its answer, or with how to answer it (18.5)', async () => {
  expect(await written({}, { state: 'pending' })).toContain('    turnout permissions allow 3f2a91c0');
  expect(await written({}, { state: 'decided', decision: 'deny', message: 'not here' })).toContain(
    '    Denied: not here\n',
  );
  expect(await written({}, { state: 'void' })).toContain('It was not answered');
  expect(await written({}, { state: 'pending' })).not.toContain('Answer allow');
});

it('history: an answer that says nothing is told as such (18.5)', async () => {
  const silent = { role: 'assistant', text: 'NO_REPLY', silent: true, backend: 'demo' } as const;
  expect(await written(silent)).toBe('2026-01-31 12:00:00  demo\n    (nothing to say)\n\n');
});
