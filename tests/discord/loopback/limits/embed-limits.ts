import type { Refuse } from './message-limits.js';

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly footer?: { readonly text?: string };
  readonly author?: { readonly name?: string };
  readonly fields?: readonly { readonly name?: string; readonly value?: string }[];
}

export function checkEmbeds(given: unknown, refuse: Refuse): void {
  if (given === undefined || given === null) return;
  if (!Array.isArray(given)) throw refuse('malformed', 'embeds', 'LIST_TYPE_CONVERT', 'Not a list.');
  const embeds: readonly Embed[] = given;
  if (embeds.length > 10)
    throw refuse('embed', 'embeds', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  let total = 0;
  const measure = (path: string, text: string | undefined, limit: number) => {
    const length = text?.length ?? 0;
    total += length;
    if (length > limit)
      throw refuse('embed', path, 'BASE_TYPE_MAX_LENGTH', `Must be ${limit} or fewer in length: ${length}.`);
  };
  for (const [i, embed] of embeds.entries()) {
    const path = `embeds.${i}`;
    measure(`${path}.title`, embed.title, 256);
    measure(`${path}.description`, embed.description, 4096);
    measure(`${path}.footer.text`, embed.footer?.text, 2048);
    measure(`${path}.author.name`, embed.author?.name, 256);
    const fields = embed.fields ?? [];
    if (fields.length > 25)
      throw refuse('embed', `${path}.fields`, 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
    for (const [j, field] of fields.entries()) {
      if (!field.name || !field.value)
        throw refuse('embed', `${path}.fields.${j}`, 'BASE_TYPE_REQUIRED', 'Name and value.');
      measure(`${path}.fields.${j}.name`, field.name, 256);
      measure(`${path}.fields.${j}.value`, field.value, 1024);
    }
  }
  if (total > 6000)
    throw refuse('embed', 'embeds', 'MAX_EMBED_SIZE_EXCEEDED', `Must be 6000 or fewer in all: ${total}.`);
}
