import { describe, expect, it } from 'vitest';
import { Footprint } from '../../../../../src/backends/claude/live/footprint.js';
import type { LiveEvent } from '../../../../../src/backends/live/types.js';
import type { JsonObject } from '../../../../../src/backends/output/json.js';

const tool = (name: string): LiveEvent => ({ type: 'tool_start', id: 't', name, input: {} });
const alone = { isAlone: async () => true };
const other: JsonObject = { type: 'assistant' };

describe('a process can have another session', () => {
  it.each<[string, JsonObject, readonly LiveEvent[]]>([
    ['words', other, [{ type: 'text', text: 'hi' }]],
    ['tools that leave nothing', other, ['Read', 'Edit', 'Grep', 'WebFetch'].map(tool)],
    ['background tasks that are over', { subtype: 'background_tasks_changed', tasks: [] }, []],
  ])('after %s', async (_, message, events) => {
    const footprint = new Footprint();
    footprint.observe(message, events);
    expect(await footprint.isClean(alone)).toBe(true);
  });

  it.each<[string, JsonObject, readonly LiveEvent[]]>([
    ['a background task', { subtype: 'background_tasks_changed', tasks: [{ task_id: 't' }] }, []],
    ['word of a task', { subtype: 'task_notification', task_id: 't', status: 'stopped' }, []],
    ['a timer', other, [tool('CronCreate')]],
    ['a tool that nobody knows', other, [tool('mcp__memory__add')]],
  ])('but not after %s, for good', async (_, message, events) => {
    const footprint = new Footprint();
    footprint.observe(message, events);
    footprint.observe({ subtype: 'background_tasks_changed', tasks: [] }, []);
    expect(await footprint.isClean(alone)).toBe(false);
  });

  it('but not after a rule was allowed for good', async () => {
    const footprint = new Footprint();
    footprint.leaveTrace();
    expect(await footprint.isClean(alone)).toBe(false);
  });
});
