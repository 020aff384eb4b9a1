import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { mayHaveBegunTools } from '../../../src/host/after-loss.js';
import { it, type Stage } from '../../contract/stage.js';

const sessionId = '00000000-0000-4000-8000-000000000001';
const since = Date.now();

function recordOf(stage: Stage): string {
  const slug = stage.workingDir.replaceAll(/[^a-zA-Z0-9]/g, '-');
  return join(stage.home, '.claude/projects', slug, `${sessionId}.jsonl`);
}

/** What Claude has written of a turn with this prompt. */
function writeRecord(stage: Stage, blocks: readonly object[]): void {
  mkdirSync(dirname(recordOf(stage)), { recursive: true });
  const timestamp = new Date(since + 10).toISOString();
  const lines = [
    { type: 'user', timestamp, message: { content: 'the prompt' } },
    { type: 'assistant', timestamp, message: { content: blocks } },
  ];
  writeFileSync(recordOf(stage), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const lost = (stage: Stage, id: string | undefined) =>
  mayHaveBegunTools({
    prompt: 'the prompt',
    options: { backend: 'claude', config: { ...stage.config('replay.sh'), home: stage.home } },
    since,
    sessionId: id,
  });

describe('a turn that was lost with its host (18.7)', () => {
  it('had begun a tool if the CLI has written so, though nobody was told', async ({ stage }) => {
    writeRecord(stage, [{ type: 'tool_use', id: '1', name: 'Bash', input: { command: 'deploy' } }]);
    expect(await lost(stage, sessionId)).toBe(true);
    expect(await lost(stage, undefined)).toBe(true);
  });

  it('may have begun one if the record can’t be read', async ({ stage }) => {
    writeRecord(stage, [{ type: 'text', text: 'some words' }]);
    appendFileSync(recordOf(stage), '{"type":"assistant","message":{"conte\n');
    expect(await lost(stage, sessionId)).toBe(true);
  });

  it('had begun none if only words are there, or nothing at all', async ({ stage }) => {
    expect(await lost(stage, sessionId)).toBe(false);
    writeRecord(stage, [{ type: 'text', text: 'some words' }]);
    expect(await lost(stage, sessionId)).toBe(false);
  });
});
