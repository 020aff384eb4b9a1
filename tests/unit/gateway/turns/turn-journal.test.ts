import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../../src/backends/registry.js';
import { noLog } from '../../../../src/config/log.js';
import { TurnJournal } from '../../../../src/gateway/turns/turn-journal.js';
import { missedSteps, TurnOutputs } from '../../../../src/gateway/turns/turn-outputs.js';
import { StoreError } from '../../../../src/store/errors.js';
import type { JournalEntry, Store } from '../../../../src/store/store.js';
import { directoryWith } from '../temporary-directory.js';

const config = { workingDir: '.', queryTimeoutMs: 0, allowedTools: [], maxTurns: 1 };
const adapter = createBackend('claude', { ...config, cliPath: 'claude' });
const line =
  '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}\n';
const lease = { turnId: 'trn_1', channel: 'a', fence: 1 } as never;
const tool: JournalEntry = { type: 'tool_started', id: 't1', name: 'Bash', input: {}, at: 7 };

describe('a tool that can be noted nowhere', () => {
  it('stays known by the output of its agent when the space of that is given back [fault 13.3: a tool that can be noted nowhere]', async () => {
    const directory = await directoryWith();
    const outputs = new TurnOutputs(directory);
    const file = (await outputs.fileFor('trn_1')) ?? '';
    await writeFile(file, line + 'noise\n'.repeat(5000));
    // The place of the note is taken.
    await mkdir(join(directory, 'trn_1.tool-begun'));
    const store = {
      journal: () => Promise.reject(new StoreError('full', 'The disk is full.')),
    } as unknown as Store;
    const journal = new TurnJournal(lease, { store, outputs, log: noLog, watch: () => undefined });
    await expect(journal.note(tool)).rejects.toThrow('The disk is full.');
    await journal.giveSpaceBack();
    await rm(join(directory, 'trn_1.tool-begun'), { recursive: true });
    expect(existsSync(file)).toBe(true);
    const read = outputs.events('trn_1', (lines) => adapter.decode?.(lines));
    expect((await missedSteps([], read, 7)).entries).toEqual([tool]);
  });
});

describe('the journal of a turn with thousands of tools', () => {
  it('takes few of them after a stop, but always the first one [fault 13.1: thousands of tools in one turn]', async () => {
    const entries: JournalEntry[] = [];
    const store = {
      journal: async (_: unknown, entry: JournalEntry) => entries.push(entry),
    } as unknown as Store;
    const parts = { store, outputs: new TurnOutputs('unused'), log: noLog, watch: () => undefined };
    const stopping = new AbortController();
    const journal = new TurnJournal(lease, parts, stopping.signal);
    const note = (id: string) => journal.note({ ...tool, id } as JournalEntry);
    for (let n = 0; n < 500; n++) await note(`a${n}`);
    expect(entries).toHaveLength(500);
    stopping.abort();
    for (let n = 0; n < 5000; n++) await note(`b${n}`);
    expect(entries).toHaveLength(600);
    const stopped = new TurnJournal(lease, parts, AbortSignal.abort());
    await stopped.note(tool);
    expect(entries).toHaveLength(601);
  });
});
