import type { FileEdit, TodoItem, ToolAction } from './tool-action.js';

const maxText = 512 * 1024;
const maxPath = 4096;
const maxTodo = 1000;
const maxEntries = 200;

/** An action as a list of many shows it. Whoever is shown it must see that it is not all. */
export function cutAction(action: ToolAction): ToolAction {
  switch (action.type) {
    case 'command':
      return {
        ...action,
        command: cut(action.command),
        ...(action.cwd === undefined ? {} : { cwd: cut(action.cwd, maxPath) }),
      };
    case 'edit': {
      const left = action.edits.length - maxEntries;
      const more = left > 0 ? [{ path: `… (${left} more)` }] : [];
      return { type: 'edit', edits: [...action.edits.slice(0, maxEntries).map(cutEdit), ...more] };
    }
    case 'todos':
      return { type: 'todos', items: action.items.slice(0, maxEntries).map(cutTodo) };
    case 'other':
      return action;
  }
}

function cutEdit(edit: FileEdit): FileEdit {
  const { path, before, after, diff, movedTo } = edit;
  return {
    ...edit,
    path: cut(path, maxPath),
    ...(before === undefined ? {} : { before: cut(before) }),
    ...(after === undefined ? {} : { after: cut(after) }),
    ...(diff === undefined ? {} : { diff: cut(diff) }),
    ...(movedTo === undefined ? {} : { movedTo: cut(movedTo, maxPath) }),
  };
}

function cutTodo({ text, state }: TodoItem): TodoItem {
  return { text: cut(text, maxTodo), state };
}

function cut(text: string, max = maxText): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}\n… (${text.length - max} more characters)`;
}
