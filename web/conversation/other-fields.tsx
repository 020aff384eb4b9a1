import { useMemo } from 'preact/hooks';
import { type UnshownField, unshownFields } from '../../src/core/tool-input.js';
import { LongText } from '../long-text.js';
import { VisibleText } from '../visible-text.js';

const mostFields = 30;

/** What a tool is given beside what its preview shows: `run_in_background: true`. */
export function OtherFields({ tool, input }: { readonly tool: string; readonly input: unknown }) {
  const fields = useMemo(() => bounded(unshownFields(tool, input)), [tool, input]);
  if (fields.length === 0) return null;
  return (
    <dl class="other-fields" aria-label="Also">
      {fields.map(({ name, value }) => (
        <div>
          <dt>
            <VisibleText text={name} level="exact" />
          </dt>
          <dd>
            <LongText class="mono" text={inWords(value)} atOnce={1000} level="exact" />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Those beyond are one more, with all of them in it. */
function bounded(fields: readonly UnshownField[]): readonly UnshownField[] {
  const more = fields.slice(mostFields);
  if (more.length === 0) return fields;
  const value = more.map((field) => ({ [field.name]: field.value }));
  return [...fields.slice(0, mostFields), { name: `${more.length} more`, value }];
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '');
}
