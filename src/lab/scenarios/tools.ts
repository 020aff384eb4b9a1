import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check, checkAnswer, checkEqual, type Lab, type Scenario, shorten } from '../scenario.js';

export const tools: readonly Scenario[] = [
  {
    id: 'tool',
    title: 'A tool runs, and its effect is on disk',
    deep: true,
    advice: 'Tools don’t run, or Turnout can’t see them: unattended work would stand still or go unnoticed.',
    async run(lab) {
      const file = `made-${lab.face}.txt`;
      lab.model.use([
        { steps: [{ text: 'Let me look.' }, { shell: `echo tool-ran > ${file} && echo visible-output` }] },
        { steps: [{ text: 'All done.' }] },
      ]);
      const outcome = await lab.turn({ prompt: 'Make the file.' }, 'tool');
      checkAnswer(outcome, 'All done.');
      checkEqual(outcome.said, 'Let me look.All done.', 'all that the agent said');
      checkEqual(await read(lab, file), 'tool-ran\n', `the content of ${file}`);
      const start = outcome.events.find((event) => event.type === 'tool_start');
      check(start !== undefined, 'there is no tool_start');
      check(
        JSON.stringify(start.input).includes(file),
        `the tool's input was ${shorten(JSON.stringify(start.input))}`,
      );
      const end = outcome.events.find((event) => event.type === 'tool_end' && event.id === start.id);
      check(end?.type === 'tool_end', 'there is no tool_end');
      check(!end.isError, `the tool is said to have failed: ${shorten(end.output)}`);
      check(
        end.output.includes('visible-output'),
        `the tool's output was ${shorten(JSON.stringify(end.output))}`,
      );
      checkEqual(lab.model.turns.length, 2, 'model calls');
    },
  },
  {
    id: 'write-file',
    title: 'A file is written with the CLI’s own file tool',
    deep: false,
    advice: 'Edits of files don’t happen.',
    async run(lab) {
      const path = join(lab.home.workingDir, `note-${lab.face}.txt`);
      lab.model.use([{ steps: [{ writeFile: { path, content: 'written by a tool\n' } }] }, 'Written.']);
      const outcome = await lab.turn({ prompt: 'Write the note.' }, 'write-file');
      checkAnswer(outcome, 'Written.');
      checkEqual(
        (await readFile(path, 'utf8').catch(() => 'no file')).trim(),
        'written by a tool',
        'the file',
      );
    },
  },
  {
    id: 'timeout-in-tool',
    title: 'A time-out in the middle of a tool ends the tool too',
    deep: true,
    advice: 'A stuck tool would go on after Turnout gave up on it.',
    async run(lab) {
      const file = `pid-${lab.face}.txt`;
      lab.model.use([{ steps: [{ shell: `echo $$ > ${file}; sleep 300` }] }]);
      const outcome = await lab.turn({ prompt: 'Sleep.', timeoutMs: Math.round(lab.plainTurnMs * 2 + 4000) });
      check(
        outcome.error?.code === 'timeout',
        `expected a time-out, got ${shorten(JSON.stringify(outcome.events.at(-1)))}`,
      );
      checkEqual(outcome.error.message, 'Query timed out', 'the message');
      // OpenCode prints a tool when it is over. The others must show that the turn has begun its tools.
      const begun = outcome.events.some((event) => event.type === 'tool_start');
      check(begun || lab.cli === 'opencode', 'the tool ran, but no event said that it had begun');
      if (outcome.exitCode !== undefined) checkEqual(outcome.exitCode, 124, 'the exit code');
      const pid = (await read(lab, file)).trim();
      check(/^\d+$/.test(pid), 'the tool had not begun when the time was up');
      const alive = await isAlive(Number(pid));
      check(!alive, `the tool (process ${pid}) still runs`);
    },
  },
];

/** A process that has ended counts as gone, even while nobody has reaped it. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z/.test(stat);
}

async function read(lab: Lab, name: string): Promise<string> {
  return readFile(join(lab.home.workingDir, name), 'utf8').catch(() => `${name} is not there`);
}
