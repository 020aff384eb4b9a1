import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { chainJsonSchema } from '../../../src/orchestra/chain-json-schema.js';
import { findChainFile, parseChainFile } from '../../../src/orchestra/read-chain-file.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const example = `${root}examples/chains`;

type Schema = Parameters<typeof z.fromJSONSchema>[0];

describe('the JSON Schema of chain files', () => {
  it('is published as it is: `npm run schema` writes it (O6)', () => {
    const published = readFileSync(`${root}schema/chains.schema.json`, 'utf8');
    expect(published).toBe(`${JSON.stringify(chainJsonSchema(), null, 2)}\n`);
    const { files } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    expect(files).toContain('schema');
  });

  it('describes every field (O6)', () => {
    const missing: string[] = [];
    visit(chainJsonSchema(), '', (schema, place) => {
      for (const [name, field] of Object.entries(schema.properties ?? {}))
        if (field.description === undefined) missing.push(`${place}.${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('takes the example and comments, and refuses what the reader refuses (O6)', async () => {
    const schema = z.fromJSONSchema(chainJsonSchema() as Schema);
    const chains = JSON.parse(readFileSync(`${example}/chains.json`, 'utf8'));
    expect(schema.safeParse(chains).error).toBeUndefined();
    const steps = [{ agent: 'a' }];
    const commented = { $schema: 'x', _note: 1, '//': 'x', chains: { c: { _prompt: 'off', steps } } };
    expect(schema.safeParse(commented).success).toBe(true);
    expect((await parseChainFile('chains.json', JSON.stringify(commented))).warnings).toEqual([]);
    for (const wrong of [
      { chains: { c: { steps: [] } } },
      { chains: { c: { steps: [{ agent: 'a', iterations: 0 }] } } },
      { chains: { c: { steps, budgets: {} } } },
      { agents: {} },
    ]) {
      expect(schema.safeParse(wrong).success).toBe(false);
      await expect(parseChainFile('chains.json', JSON.stringify(wrong))).rejects.toThrow('chains.json');
    }
  });
});

describe('the example of a chain file', () => {
  it('is read without a warning, and its prompt files are there (O6)', async () => {
    const file = await findChainFile(example);
    expect(file?.warnings).toEqual([]);
    expect([...(file?.chains.keys() ?? [])]).toEqual(['overnight', 'again']);
    for (const { systemPrompt } of file?.agents.values() ?? [])
      if (systemPrompt !== undefined) expect(readFileSync(`${example}/${systemPrompt}`, 'utf8')).not.toBe('');
  });
});

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
}

function visit(schema: Node, place: string, see: (schema: Node, place: string) => void): void {
  see(schema, place);
  for (const [name, field] of Object.entries(schema.properties ?? {})) visit(field, `${place}.${name}`, see);
  if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, `${place}.*`, see);
  if (schema.items !== undefined) visit(schema.items, `${place}[]`, see);
}
