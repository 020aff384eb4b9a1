import { dateAndTime } from '../../core/format.js';
import { shortQuestionId } from '../../core/question-id.js';
import { questionId } from '../../core/question-text.js';
import { oneLine, visibleLines } from '../../core/text.js';
import type { ArchiveReader } from '../../gateway/archive/open-archive.js';
import type { MessageView } from '../../gateway/channels/http/wire.js';
import { nothingToSay } from '../client/silent-answer.js';
import type { Terminal } from '../output/terminal.js';

/** Prints a message: when, who, and below it what was said. No text can pass for another message. */
export async function writeMessage(
  message: MessageView,
  archive: Pick<ArchiveReader, 'permission'>,
  terminal: Terminal,
  colours: boolean,
): Promise<void> {
  const head = `${dateAndTime(Date.parse(message.createdAt))}  ${speakerOf(message)}\n`;
  if (message.silent) {
    await terminal.write(head);
    return terminal.writeIn('quiet', `    ${nothingToSay}\n\n`, colours);
  }
  const asked = message.role === 'system' ? questionId(message.text) : undefined;
  const text = asked === undefined ? message.text : await withAnswer(message.text, asked, archive);
  const lines = visibleLines(text).map((line) => (line === '' ? '' : `    ${line}`));
  await terminal.write(`${head}${lines.join('\n')}\n\n`);
}

function speakerOf({ role, backend, author, eventId }: MessageView): string {
  if (role === 'assistant') return oneLine(backend ?? 'assistant');
  const name = oneLine(role === 'system' ? 'turnout' : (author ?? 'user'));
  return eventId === null ? name : `${name} (${eventId})`;
}

/** What was asked, and what became of it, in place of the words for a chat. */
async function withAnswer(
  text: string,
  id: string,
  archive: Pick<ArchiveReader, 'permission'>,
): Promise<string> {
  const [title = '', input = ''] = text.split('\n');
  const question = await archive.permission(id);
  return [title, input, ...outcomeOf(question)].join('\n');
}

function outcomeOf(question: Awaited<ReturnType<ArchiveReader['permission']>>): readonly string[] {
  if (question === undefined) return [];
  const { id, state, decision, message } = question;
  if (state === 'pending')
    return [`turnout permissions allow ${shortQuestionId(id)}   (or deny, always, show)`];
  if (decision === undefined) return ['It was not answered before its turn ended.'];
  const word = decision === 'deny' ? 'Denied' : decision === 'allow' ? 'Allowed' : 'Always allowed';
  return [message === undefined ? `${word}.` : `${word}: ${oneLine(message, 400)}`];
}
