import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** The parts of the source that run in a gateway. The others run with the rights of whoever started them, and AGENT_USER is the gateway's. */
const layers = ['backends', 'config', 'core', 'gateway', 'process', 'runner', 'sessions', 'sqlite', 'store'];

/** What reads nothing of a file, or only one that is open already. */
const harmless = new Set(
  `appendFile chmod chmodSync chown chownSync closeSync constants fchownSync fstatSync fsyncSync link linkSync mkdir mkdirSync mkdtempSync
  readSync rename renameSync rm rmSync rmdir rmdirSync statfs statfsSync truncate unlink unlinkSync utimes writeFile writeFileSync
  writeSync`.split(/\s+/),
);

/** Functions of ours that open, or look at, whatever path they are given. */
const opening = new Set([
  'readJsonFile',
  'readObject',
  'readSmallFile',
  'readTextFile',
  'realPath',
  'runGit',
]);

const nodesOwn = /^node:(child_process|fs|fs\/promises)$/;

/** By file: each place that could read a file or start a program which does, as the names of what is called. */
export function findReads(src: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const layer of layers)
    for (const name of readdirSync(join(src, layer), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const reads = readsOf(readFileSync(join(src, layer, name), 'utf8'));
      if (reads.length > 0) found.set(`${layer}/${name}`, counted(reads));
    }
  return found;
}

/** `lstat×2 open` */
function counted(names: readonly string[]): string {
  const times = (name: string) => names.filter((one) => one === name).length;
  return [...new Set(names)].map((name) => (times(name) === 1 ? name : `${name}×${times(name)}`)).join(' ');
}

export function readsOf(code: string): readonly string[] {
  const { body } = parseAst(code, { lang: 'ts' });
  const names = new Map<string, string>();
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration') continue;
    const isNodes = nodesOwn.test(statement.source.value);
    for (const specifier of statement.specifiers) {
      if (specifier.type !== 'ImportSpecifier') {
        if (isNodes) names.set(specifier.local.name, specifier.local.name);
        continue;
      }
      const { imported, local } = specifier;
      const name = imported.type === 'Identifier' ? imported.name : imported.value;
      if (isNodes ? !harmless.has(name) : opening.has(name)) names.set(local.name, name);
    }
  }
  const found: string[] = [];
  const visit = (node: unknown, key = ''): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, key);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const { type } = node;
    if (
      type === 'ImportDeclaration' ||
      (typeof type === 'string' && /^TS.*(Type|Query|Annotation)/.test(type))
    )
      return;
    if (type === 'ImportExpression' && 'source' in node) {
      const { value } = node.source as { value?: unknown };
      if (nodesOwn.test(String(value))) found.push('import');
    }
    if (type === 'Identifier' && 'name' in node && !['property', 'key'].includes(key)) {
      const name = names.get(String(node.name));
      if (name !== undefined) found.push(name);
    }
    const isComputed = 'computed' in node && node.computed === true;
    for (const [part, child] of Object.entries(node)) visit(child, isComputed ? '' : part);
  };
  visit(body);
  return found.sort();
}
