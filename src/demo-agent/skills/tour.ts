import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Asked, type Skill, type Steps, type ToolOutcome, useTool, wholeCommand } from '../step.js';

/** The skill that somebody meets first: everything that an agent's turn can have, once. */
export const tourSkill: Skill = {
  name: 'tour',
  example: 'show me around',
  about: 'a tour: text, thinking, tools, a to-do list, an edit that asks first',
  pattern: wholeCommand('(?:show me around|(?:give|take) me (?:on )?a tour|start the tour)'),
  act: giveTour,
};

async function* giveTour({ cwd, isSomebodyWaiting = () => false }: Asked): Steps {
  yield* tell(
    'Somebody may be here for the first time. I will show what a turn of an agent looks like: ' +
      'text, a tool, a plan, and a change that I may only make if they say yes.',
    'think',
  );
  yield* tell(
    '# Welcome to Turnout\n\nI am the **demo agent**: a small program that talks like a coding agent, with no ' +
      'model and no account behind it. All around me is real: this answer is streamed, kept on disk, and ' +
      'still here after a reload.\n\nFirst a plan, then a look at the files.\n\n',
  );
  const change = await changeIn(cwd);
  if (isSomebodyWaiting()) return yield* leaveOff();
  yield* plan(0);
  yield* change === undefined ? look() : read(change);
  yield* plan(1);
  if (isSomebodyWaiting()) return yield* leaveOff();
  const outcome = yield* change === undefined ? useTool('Write', note) : useTool('Edit', change.edit);
  yield* plan(2);
  yield* tell(`${outcomeInWords(change?.name ?? note.file_path, outcome)}\n\n${whatNext}`);
}

/** A question would keep whoever has something to say waiting. */
async function* leaveOff(): Steps {
  yield* tell('You have something to say: the rest of the tour can wait.');
}

/** Yields text at a pace that can be read along. */
async function* tell(text: string, type: 'say' | 'think' = 'say'): Steps {
  for (const word of text.match(/\S+\s*/g) ?? []) {
    yield { type, text: word };
    yield { type: 'wait', ms: 35 };
  }
}

const todos = [
  ['Look at the files', 'Looking at the files'],
  ['Propose a change, and ask first', 'Proposing a change'],
  ['Say what to try next', 'Saying what to try next'],
] as const;

async function* plan(done: number): Steps {
  const status = (index: number) => (index < done ? 'completed' : index === done ? 'in_progress' : 'pending');
  const items = todos.map(([content, activeForm], index) => ({ content, status: status(index), activeForm }));
  yield* useTool('TodoWrite', { todos: items });
  yield { type: 'wait', ms: 300 };
}

interface Change {
  readonly name: string;
  readonly content: string;
  readonly edit: { readonly file_path: string; readonly old_string: string; readonly new_string: string };
}

const greetings = ['Hello, ', 'Welcome aboard, '] as const;

/** The change of the demo's own file; undefined in any other directory. A second tour takes the first one's change back. */
async function changeIn(cwd: string): Promise<Change | undefined> {
  const name = 'src/hello.ts';
  const path = join(cwd, name);
  const content = await readFile(path, 'utf8').catch(() => '');
  const line = /^ {2}return `(.*)\$\{name\}!`;$/m.exec(content);
  const known = greetings.find((greeting) => greeting === line?.[1]);
  if (line === null || known === undefined) return undefined;
  const other = greetings[known === greetings[0] ? 1 : 0];
  const edit = { file_path: path, old_string: line[0], new_string: line[0].replace(known, other) };
  return { name, content, edit };
}

const note = { file_path: 'demo-note.txt', content: 'Turnout was here.\n' };

async function* read({ name, content, edit }: Change): Steps {
  yield* useTool('Read', { file_path: edit.file_path });
  yield* tell(
    `This is \`${name}\`:\n\n\`\`\`ts\n${content}\`\`\`\n\nIts greeting could be another one. **May I change one ` +
      'line?** You see the change before you decide, and nothing happens without your word.\n\n',
  );
}

async function* look(): Steps {
  yield* useTool('LS', { path: '.' });
  yield* tell(
    `**May I write a file, \`${note.file_path}\`?** You see what it would hold before you decide, and nothing happens ` +
      'without your word.\n\n',
  );
}

function outcomeInWords(file: string, { isError, denied, text }: ToolOutcome): string {
  if (denied) return `You said no, so \`${file}\` is as it was. That is all that a **Deny** does.`;
  if (isError) return `It did not work, and \`${file}\` is as it was: ${text}`;
  return `Done: \`${file}\` is changed, because it was allowed. **Changes** shows the difference, and takes it back.`;
}

const whatNext = `Now it is your turn. Try:

\`\`\`text
count to 100 slowly       … then stop me, or say something meanwhile
write a note: buy milk    … and say no
read nothing.txt          … a tool that fails
fail with 429             … an error of the API, with retries
help                      … everything that I understand
\`\`\`

A real agent is one word away: \`/backend claude\` (or \`codex\`, \`gemini\`, \`opencode\`) goes on with the CLI on this
machine and your own login, and is told what was said here. \`/backend demo\` comes back to me.`;
