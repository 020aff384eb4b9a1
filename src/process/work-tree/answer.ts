import { type Found, type ReadRequest, readBelow, targetBelow } from './open-below.js';

/** What is asked of a work tree, as it goes to a reader with another user's rights. */
export type TreeRequest =
  | ({ readonly type: 'read' } & ReadRequest)
  | { readonly type: 'target'; readonly tree: string; readonly path: string };

/** The content of a file goes apart: it is bytes. */
export interface TreeAnswer {
  readonly value: unknown;
  readonly content?: Buffer | undefined;
}

export async function answer(request: TreeRequest): Promise<TreeAnswer> {
  if (request.type === 'target') return { value: await targetBelow(request.tree, request.path) };
  const found: Found = await readBelow(request);
  if (found.type !== 'file') return { value: found };
  const { content, ...value } = found;
  return { value, content };
}
