import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../../src/backends/names.js';
import { readRecordings } from '../../contract/recordings.js';

describe.each(vendorNames)('the recordings of %s', (cli) => {
  const recordings = readRecordings(cli);

  it('are of the CLI that they are filed under, and complete', () => {
    for (const recording of recordings) {
      expect(recording).toEqual({
        cli,
        version: expect.stringMatching(/./),
        scenario: expect.stringMatching(/^[a-z0-9-]+$/),
        format: expect.stringMatching(/^(plain|stream)$/),
        exit: { code: expect.any(Number), signal: null },
        stdout: expect.any(Array),
        stderr: expect.any(String),
      });
    }
    const scenarios = recordings.map(({ scenario }) => scenario);
    expect(scenarios).toEqual(
      expect.arrayContaining([
        'answer',
        'thinking',
        'tool',
        'tool-fails',
        'empty',
        'http-400',
        'http-401',
        'resume',
      ]),
    );
  });

  it('hold nothing of the machine that they were made on, and no other host', () => {
    for (const recording of recordings) {
      const text = [...recording.stdout, recording.stderr].join('\n');
      expect(text.match(/https?:\/\/(?!127\.0\.0\.1[:/])[^\s"\\]*/g) ?? [], recording.scenario).toEqual([]);
      expect(text.match(/(?<![\w.-])\/(?:tmp|root|home|Users|work|var|mnt)\/[^\s"\\]*/g) ?? []).toEqual([]);
      expect(text).not.toContain('npmjs');
    }
  });
});
