import type { Refuse } from './message-limits.js';

interface Component {
  readonly type?: number;
  readonly style?: number;
  readonly label?: string;
  readonly custom_id?: string;
  readonly url?: string;
  readonly emoji?: unknown;
  readonly options?: readonly unknown[];
  readonly components?: readonly Component[];
}

const types = { row: 1, button: 2, textSelect: 3 };
const linkStyle = 5;

/** Rows of buttons and menus, as they were before Components V2: the loopback Discord knows no others. */
export function checkComponents(given: unknown, refuse: Refuse): void {
  if (given === undefined || given === null) return;
  if (!Array.isArray(given)) throw refuse('malformed', 'components', 'LIST_TYPE_CONVERT', 'Not a list.');
  const rows: readonly Component[] = given;
  if (rows.length > 5)
    throw refuse('component', 'components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
  const ids = new Set<string>();
  for (const [i, row] of rows.entries()) {
    const path = `components.${i}`;
    if (row.type !== types.row)
      throw refuse('component', path, 'UNION_TYPE_CHOICES', 'Value of type must be 1.');
    const inside = row.components ?? [];
    const menu = inside.some(({ type }) => type !== types.button);
    if (inside.length < 1 || inside.length > (menu ? 1 : 5)) {
      throw refuse(
        'component',
        `${path}.components`,
        'BASE_TYPE_BAD_LENGTH',
        `Must not have ${inside.length} components.`,
      );
    }
    for (const [j, component] of inside.entries())
      checkComponent(component, `${path}.components.${j}`, ids, refuse);
  }
}

function checkComponent(component: Component, path: string, ids: Set<string>, refuse: Refuse): void {
  const { type, style, label = '', custom_id: id, url } = component;
  if (type === types.button) {
    if (![1, 2, 3, 4, linkStyle].includes(style ?? 0)) {
      throw refuse('component', `${path}.style`, 'BASE_TYPE_CHOICES', `Unknown style ${style}.`);
    }
    if (label.length > 80) {
      throw refuse(
        'component',
        `${path}.label`,
        'BASE_TYPE_MAX_LENGTH',
        `Must be 80 or fewer in length: ${label.length}.`,
      );
    }
    if (label === '' && !component.emoji)
      throw refuse('component', path, 'BUTTON_COMPONENT_EMPTY', 'A label or an emoji.');
    if (style === linkStyle) {
      if (!url || id)
        throw refuse('component', path, 'BUTTON_COMPONENT_URL', 'A link has a url and no custom id.');
      return;
    }
    if (url) throw refuse('component', `${path}.url`, 'BUTTON_COMPONENT_URL', 'Only links have a url.');
  } else if (type === types.textSelect) {
    const options = component.options?.length ?? 0;
    if (options < 1 || options > 25)
      throw refuse('component', `${path}.options`, 'BASE_TYPE_BAD_LENGTH', `${options} options.`);
  } else {
    throw refuse('component', path, 'UNION_TYPE_CHOICES', `Type ${type} can't be in a row.`);
  }
  if (!id || id.length > 100) {
    const detail = `Must be between 1 and 100 in length: ${id?.length ?? 0}.`;
    throw refuse('component', `${path}.custom_id`, 'BASE_TYPE_BAD_LENGTH', detail);
  }
  if (ids.has(id))
    throw refuse('component', `${path}.custom_id`, 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Must be unique.');
  ids.add(id);
}
