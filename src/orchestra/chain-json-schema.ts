import * as z from 'zod';
import { chainFileSchema } from './chain-schema.js';

/**
 * The format of a chain file as JSON Schema, for editors: a file that names it in `$schema` gets completion and checks.
 * Fields that begin with `$`, `_` or `/` are comments, as they are for the reader.
 */
export function chainJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(chainFileSchema, {
    // The draft that editors know best.
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.properties === undefined) return;
      jsonSchema.patternProperties = { '^[$_/]': {} };
      jsonSchema.additionalProperties = false;
    },
  });
  return { $schema, title: 'Chains of agents (Turnout)', ...schema };
}
