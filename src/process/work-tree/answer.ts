import {
  type FactsRequest,
  type Found,
  factsBelow,
  namesBelow,
  type ReadRequest,
  readBelow,
  targetBelow,
} from './open-below.js';

/** What is asked of a work tree, as it goes to a reader with another user's rights. */
export type TreeRequest =
  | ({ readonly type: 'read' } & ReadRequest)
  | ({ readonly type: 'facts' } & FactsRequest)
  | { readonly type: 'names'; readonly tree: string; readonly path: string }
  | { readonly type: 'target'; readonly tree: string; readonly path: string };

/** The content of a file goes apart: it is bytes. */
export interface TreeAnswer {
  readonly value: unknown;
  readonly content?: Buffer | undefined;
}

export async function answer(request: TreeRequest): Promise<TreeAnswer> {
  switch (request.type) {
    case 'read':
      return withContentApart(await readBelow(request));
    case 'facts':
      return { value: await factsBelow(request) };
    case 'names':
      return { value: await namesBelow(request.tree, request.path) };
    case 'target':
      return { value: await targetBelow(request.tree, request.path) };
  }
}

function withContentApart(found: Found): TreeAnswer {
  if (found.type !== 'file') return { value: found };
  const { content, ...value } = found;
  return { value, content };
}
