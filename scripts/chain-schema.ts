import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chainJsonSchema } from '../src/orchestra/chain-json-schema.js';

// Writes the JSON Schema of chain files, which is published with the package. A test says when it is out of date.

const directory = fileURLToPath(new URL('../schema', import.meta.url));
mkdirSync(directory, { recursive: true });
writeFileSync(`${directory}/chains.schema.json`, `${JSON.stringify(chainJsonSchema(), null, 2)}\n`);
