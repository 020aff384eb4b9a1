import { type Asked, command, type Skill, type Steps, say, useTool, wholeCommand } from '../step.js';
import { childCommand } from '../tools.js';

const maxSeconds = 3600;

/** Skills whose tools keep a supervisor busy. */
export const workSkills: readonly Skill[] = [
  {
    name: 'slow-tool',
    example: 'run a tool for 5 seconds',
    about: 'uses a tool that takes its time, and says nothing meanwhile',
    pattern: command('(?:run|use) a tool for (\\d+(?:\\.\\d+)?) ?(?:s|secs?|seconds?)\\b'),
    act: runSlowTool,
  },
  {
    name: 'child',
    example: 'start a child',
    about: 'leaves a process behind, in a session of its own, for five minutes',
    pattern: wholeCommand('start a child(?: process)?'),
    act: startChild,
  },
];

async function* runSlowTool(_asked: Asked, words: RegExpExecArray): Steps {
  const seconds = Math.min(Number(words[1]), maxSeconds);
  yield* say('This takes a while. ');
  const done = yield* useTool('Bash', { command: `sleep ${seconds}` });
  yield* say(done.isError ? `I could not run the tool: ${done.text}` : `The tool ran for ${seconds} s.`);
}

async function* startChild(): Steps {
  yield* say('I will start one. ');
  const started = yield* useTool('Bash', { command: childCommand });
  yield* say(started.isError ? `I could not start a child: ${started.text}` : `It runs: ${started.text}`);
}
