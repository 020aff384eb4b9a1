import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layOutDemoFiles } from '../../../src/cli/demo/demo-files.js';
import { actOn } from '../../../src/demo-agent/skills/skills.js';
import type { Step, ToolOutcome } from '../../../src/demo-agent/step.js';
import { runTool } from '../../../src/demo-agent/tools.js';
import { directoryWith } from '../gateway/temporary-directory.js';

const { signal } = new AbortController();

/** Gives the tour in a directory, with its real tools; edits are denied unless they are allowed. */
async function tourIn(cwd: string, allows: boolean, isSomebodyWaiting = () => false) {
  const around = { cwd, speed: 0, signal };
  const steps = actOn({ prompt: 'Show me around', systemPrompt: '', cwd, history: [], isSomebodyWaiting });
  const seen: Step[] = [];
  let outcome: ToolOutcome | undefined;
  let answer = '';
  for (;;) {
    const { done, value: step } = await steps.next(outcome);
    if (done) return { seen, answer, tools: seen.flatMap((one) => (one.type === 'tool' ? [one] : [])) };
    seen.push(step);
    outcome = undefined;
    if (step.type === 'say') answer += step.text;
    if (step.type !== 'tool') continue;
    answer = '';
    const denied = !allows && (step.tool === 'Edit' || step.tool === 'Write');
    outcome = denied
      ? { text: 'no', isError: true, denied: true }
      : await runTool(step.tool, step.input, around);
  }
}

describe('the tour of the demo agent (16.6)', () => {
  it('thinks, says Markdown with code, plans, reads, and edits once it may', async () => {
    const cwd = await directoryWith();
    layOutDemoFiles(cwd);
    const before = readFileSync(join(cwd, 'src/hello.ts'), 'utf8');
    const { seen, tools, answer } = await tourIn(cwd, true);
    expect(seen[0]?.type).toBe('think');
    expect(tools.map(({ tool }) => tool)).toEqual(['TodoWrite', 'Read', 'TodoWrite', 'Edit', 'TodoWrite']);
    const said = seen.flatMap((step) => (step.type === 'say' ? [step.text] : [])).join('');
    expect(said).toContain('# Welcome to Turnout');
    expect(said).toContain(`\`\`\`ts\n${before}\`\`\``);
    expect(tools[0]?.input).toMatchObject({ todos: [{ status: 'in_progress' }, { status: 'pending' }, {}] });
    expect(readFileSync(join(cwd, 'src/hello.ts'), 'utf8')).toBe(
      before.replace('Hello, ', 'Welcome aboard, '),
    );
    expect(answer).toMatch(/^Done: `src\/hello\.ts` is changed[\s\S]*```text\n[\s\S]*\/backend claude/);
    // Somebody who takes it again finds the file as it was at first.
    await tourIn(cwd, true);
    expect(readFileSync(join(cwd, 'src/hello.ts'), 'utf8')).toBe(before);
  });

  it('says that nothing was changed when it may not', async () => {
    const cwd = await directoryWith();
    layOutDemoFiles(cwd);
    const before = readFileSync(join(cwd, 'src/hello.ts'), 'utf8');
    const { answer } = await tourIn(cwd, false);
    expect(answer).toMatch(/^You said no, so `src\/hello\.ts` is as it was/);
    expect(readFileSync(join(cwd, 'src/hello.ts'), 'utf8')).toBe(before);
  });

  it('leaves off, and asks nothing, when somebody has something to say', async () => {
    const cwd = await directoryWith();
    layOutDemoFiles(cwd);
    let looks = 0;
    expect((await tourIn(cwd, true, () => true)).tools).toEqual([]);
    const { tools, answer } = await tourIn(cwd, true, () => ++looks > 1);
    expect(tools.map(({ tool }) => tool)).toEqual(['TodoWrite', 'Read', 'TodoWrite']);
    expect(answer).toContain('the rest of the tour can wait');
  });

  it('changes no file of somebody else’s project', async () => {
    const mine = 'export const hello = 1;\n';
    const cwd = await directoryWith({ 'src/hello.ts': mine });
    const { tools } = await tourIn(cwd, true);
    expect(tools.map(({ tool }) => tool)).toEqual(['TodoWrite', 'LS', 'TodoWrite', 'Write', 'TodoWrite']);
    expect(readFileSync(join(cwd, 'src/hello.ts'), 'utf8')).toBe(mine);
    expect(readFileSync(join(cwd, 'demo-note.txt'), 'utf8')).toBe('Turnout was here.\n');
  });
});

describe('the tool Edit (16.6)', () => {
  it('replaces one place of a file in the directory, and nothing else', async () => {
    const cwd = await directoryWith({ 'a.txt': 'one two one', 'sub/b.txt': 'x' });
    const outside = await directoryWith({ 'c.txt': 'one' });
    symlinkSync(join(outside, 'c.txt'), join(cwd, 'link.txt'));
    const edit = (file_path: string, old_string: string, new_string = '$& new') =>
      runTool('Edit', { file_path, old_string, new_string }, { cwd, speed: 0, signal });
    expect(await edit('a.txt', 'two')).toMatchObject({ isError: false });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one $& new one');
    expect(await edit('a.txt', 'one')).toMatchObject({
      isError: true,
      text: expect.stringContaining('2 matches'),
    });
    expect(await edit('a.txt', 'three')).toMatchObject({
      isError: true,
      text: expect.stringContaining('not found'),
    });
    for (const path of ['link.txt', join(outside, 'c.txt'), 'nowhere.txt', 'sub'])
      expect(await edit(path, 'one')).toMatchObject({ isError: true });
    expect(readFileSync(join(outside, 'c.txt'), 'utf8')).toBe('one');
  });
});
