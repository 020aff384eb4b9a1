import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chainJsonSchema } from '../../../src/orchestra/chain-json-schema.js';
import { unattendedInstructions } from '../../../src/orchestra/instructions.js';
import { parseChainFile } from '../../../src/orchestra/read-chain-file.js';
import { stepReasons } from '../../../src/orchestra/types.js';

const page = readFileSync(new URL('../../../docs/chains.md', import.meta.url), 'utf8');

describe('docs/chains.md', () => {
  it('has the words that every agent is told (O7)', () => {
    expect(page).toContain(`\`\`\`text\n${unattendedInstructions()}\n\`\`\`\n`);
  });

  it('has an example that loads (O6)', async () => {
    const [, example = ''] = /```json\n([\s\S]*?)\n```/.exec(page) ?? [];
    const file = await parseChainFile('chains.json', example);
    expect(file.warnings).toEqual([]);
    expect([...file.chains.keys()]).toEqual(['overnight']);
  });

  it('names every field and every reason (O6)', () => {
    const text = JSON.stringify(chainJsonSchema());
    const fields = [...text.matchAll(/"(\w+)":\{"(?:description|type)"/g)].map(([, name]) => name);
    expect(fields.length).toBeGreaterThan(25);
    const structure = ['agents', 'chains', 'properties', 'items', 'additionalProperties', 'propertyNames'];
    for (const name of [...fields, ...stepReasons].filter((field) => !structure.includes(field ?? '')))
      expect(page).toContain(`\`${name}\``);
  });
});
