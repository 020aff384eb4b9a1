import { type Asked, command, type Skill, type Steps, say, useTool } from '../step.js';

/**
 * Matches any name after the word "file"; without it a name that looks like one: quoted, or with a dot or a
 * slash in it.
 */
const fileWords =
  'file ["\'`]?(?<named>[^\\s"\'`]+)|["\'`“](?<quoted>[^"\'`”\\n]+)["\'`”]|(?<dotted>[^\\s"\'`]*[./\\\\]+[^\\s"\'`./\\\\,!?]+)';

/** Matches "list the files", "list files in the src directory", "list files in this directory". */
const listWords =
  '(?:list|show)(?: me)?(?: all)?(?: the| my)? files(?: (?:in|of|under) (?:the )?["\'`]?(?<directory>(?!(?:this|my|current|working|directory|folder)\\b)[^\\s"\'`,?!]+))?|what files are (?:here|there)';

/** Matches "ls", "run ls -la src". */
const lsWords = '(?:run |execute )?["\'`]?(?:ls|dir)\\b(?: -\\S+)*(?: (?<listed>[^\\s"\'`,?!]+))?';

/** Skills with real effects, on the working directory only: no text of a prompt ever becomes a command. */
export const fileSkills: readonly Skill[] = [
  {
    name: 'note',
    example: 'write a note: buy milk',
    about: 'writes demo-note.txt',
    pattern: command('(?:write|make|take|leave)(?: me)? a note(?: that(?: says)?)?[\\s:,]+'),
    act: writeNote,
  },
  {
    name: 'look-around',
    example: 'look around',
    about: 'lists the directory, then reads the README: two tools in a row',
    pattern: command(
      'look around|(?:describe|explain|tell me about) (?:this|the) (?:project|directory|folder|repo(?:sitory)?)',
    ),
    act: lookAround,
  },
  {
    name: 'list',
    example: 'list files',
    about: 'lists the working directory',
    pattern: command(`${listWords}|${lsWords}`),
    act: (_asked, words) => listFiles(pathIn(words) ?? '.'),
  },
  {
    name: 'read',
    example: 'read README.md',
    about: "shows a file's first lines",
    pattern: command(
      `(?:run |execute )?["'\`]?(?:read|show(?: me)?|open|cat|head|print)(?: the)?(?: first lines of)? (?:${fileWords})`,
    ),
    act: (_asked, words) => readFile(pathIn(words) ?? '.'),
  },
  {
    name: 'run',
    example: 'run pwd',
    about: 'runs nothing: ls, cat and pwd are done by its own tools, other commands are declined',
    pattern: command('(?:run|execute)\\s+["\'`]?(?<program>[^\\s"\'`]+)'),
    act: declineToRun,
  },
];

function pathIn({ groups = {} }: RegExpExecArray): string | undefined {
  const found = ['directory', 'listed', 'quoted', 'dotted', 'named'].map((name) => groups[name]);
  // A full stop at the end of the sentence is no part of a name.
  return found.find((path) => path !== undefined)?.replace(/(?<=[^.\s])[.,!?]+$/, '');
}

async function* listFiles(path: string): Steps {
  yield* say('Let me look. ');
  const listing = yield* useTool('LS', { path });
  if (listing.isError) return yield* say(`I could not list ${path}: ${listing.text}`);
  yield* say(
    listing.text === '' ? `There are no files in ${path}.` : `These are the files:\n\n${listing.text}`,
  );
}

async function* readFile(path: string): Steps {
  yield* say('Let me read it. ');
  const content = yield* useTool('Read', { file_path: path, limit: 20 });
  if (content.isError) return yield* say(`I could not read ${path}: ${content.text}`);
  yield* say(`${path} begins like this:\n\n\`\`\`\n${content.text}\n\`\`\`\n`);
}

async function* writeNote({ prompt }: Asked, words: RegExpExecArray): Steps {
  const note = prompt.slice(words[0].length).trim().slice(0, 10_000);
  yield* say('I will write that down. ');
  const written = yield* useTool('Write', { file_path: 'demo-note.txt', content: `${note}\n` });
  yield* say(
    written.isError ? `I could not write the note: ${written.text}` : 'I wrote the note to demo-note.txt.',
  );
}

async function* lookAround(): Steps {
  yield* say('Let me look around. ');
  const listing = yield* useTool('LS', { path: '.' });
  if (listing.isError) return yield* say(`I could not look around: ${listing.text}`);
  const names = listing.text.split('\n').filter((name) => name !== '');
  const readme = names.find((name) => /^readme(\.\w+)?$/i.test(name));
  const count = `There ${names.length === 1 ? 'is 1 entry' : `are ${names.length} entries`} here`;
  if (readme === undefined) return yield* say(`${count}, and no README.`);
  const content = yield* useTool('Read', { file_path: readme, limit: 5 });
  yield* say(`${count}. ${readme} begins like this:\n\n${content.text}\n`);
}

async function* declineToRun({ cwd }: Asked, words: RegExpExecArray): Steps {
  if (words.groups?.['program'] === 'pwd') return yield* say(cwd);
  yield* say(
    'I run no commands: I am only the demo agent. What I really do is "list files", "read README.md" and "write a note: …"; a real CLI can do more.',
  );
}
