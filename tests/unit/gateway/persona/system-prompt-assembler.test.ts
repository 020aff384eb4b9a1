import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MarkdownConfigLoader,
  type PromptPart,
} from '../../../../src/gateway/persona/markdown-config-loader.js';
import { SystemPromptAssembler } from '../../../../src/gateway/persona/system-prompt-assembler.js';
import { directoryWith } from '../temporary-directory.js';

const part = (path: string, text: string): PromptPart => ({
  path,
  text,
  sha256: `sha of ${path}`,
  bytes: Buffer.byteLength(text),
  truncated: false,
});
const assemble = (parts: readonly PromptPart[], totalBytes?: number) =>
  new SystemPromptAssembler(totalBytes === undefined ? {} : { totalBytes }).assemble({
    parts,
    settings: {},
    problems: [],
    unusable: [],
  });

describe('the system prompt', () => {
  it('is made of the files under their names', () => {
    const { text, record } = assemble([part('identity.md', 'I am Kit.'), part('user.md', 'Ann.')]);
    expect(text).toBe('# identity.md\n\nI am Kit.\n\n# user.md\n\nAnn.');
    expect(record).toEqual({
      files: [
        { path: 'identity.md', sha256: 'sha of identity.md', bytes: 9, truncated: false },
        { path: 'user.md', sha256: 'sha of user.md', bytes: 4, truncated: false },
      ],
      characters: text.length,
      hash: createHash('sha256').update(text).digest('hex'),
    });
  });

  it('is empty without files, and with empty ones', () => {
    expect(assemble([]).text).toBe('');
    const { text, record } = assemble([part('soul.md', '')]);
    expect(text).toBe('');
    expect(record.files).toHaveLength(1);
  });

  it('is the same for the same files', async () => {
    const directory = await directoryWith({ 'identity.md': 'I am Kit.', 'channels/c/channel.md': 'Here.' });
    const read = async () =>
      new SystemPromptAssembler().assemble(await new MarkdownConfigLoader(directory).load('c'));
    expect(await read()).toEqual(await read());
  });

  it('over the limit loses its end: what is cut or left out is named and recorded', () => {
    const parts = ['identity.md', 'soul.md', 'user.md', 'memory.md'].map((path) =>
      part(path, 'x'.repeat(400)),
    );
    const { text, record } = assemble(parts, 850);
    expect(text).toContain(`# identity.md\n\n${'x'.repeat(400)}\n\n# soul.md`);
    expect(text).toMatch(/x\n\n\[soul\.md was cut here: \d+ of 400 bytes shown\]/);
    expect(text).toMatch(
      /\n\n\[left out, because all files together may have 850 bytes: user\.md, memory\.md\]$/,
    );
    expect(record.files.map(({ truncated }) => truncated)).toEqual([false, true, true, true]);
    expect(Buffer.byteLength(text)).toBeGreaterThan(750);
  });

  it('never exceeds its limit and never splits a character, whatever the files say', () => {
    const text = fc.oneof(
      // The sign for what can't be read must come from nowhere but a cut.
      fc.string({ unit: 'grapheme', maxLength: 300 }).map((any) => any.replaceAll('\uFFFD', '')),
      fc.nat(2000).map((count) => '🜁'.repeat(count)),
    );
    const names = fc.uniqueArray(
      fc.constantFrom('identity.md', 'soul.md', 'user.md', 'channels/c/channel.md'),
    );
    fc.assert(
      fc.property(
        names,
        fc.infiniteStream(text),
        fc.integer({ min: 1, max: 4000 }),
        (paths, texts, limit) => {
          const parts = paths.map((path) => part(path, String(texts.next().value)));
          const { text: prompt, record } = assemble(parts, limit);
          expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(limit);
          expect(Buffer.from(prompt).toString()).toBe(prompt);
          expect(prompt).not.toContain('\uFFFD');
          const complete = parts.every((one) => one.text === '' || prompt.includes(one.text));
          expect(complete || record.files.some(({ truncated }) => truncated)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
