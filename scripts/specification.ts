import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPage, type SourceFile } from './specification/page.js';
import { withTaggedFaults } from './specification/tagged-faults.js';

// Writes the tests that prove each line into docs/specification.md, and the faults that tests name into docs/faults.md.
// With --check it writes nothing: it fails if a page is not up to date.

const root = fileURLToPath(new URL('..', import.meta.url));
const specification = 'docs/specification.md';

const old = readFileSync(join(root, specification), 'utf8');
const citing = [...filesIn('src', '.ts'), ...filesIn('scripts', '.ts'), ...filesIn('bench', '.ts')];
const documents = filesIn('docs', '.md').filter(({ path }) => path !== specification);
const { page, problems } = checkPage(old, filesIn('tests', '.ts'), [...citing, ...documents]);

update(specification, old, page);
const faults = readFileSync(join(root, 'docs/faults.md'), 'utf8');
update('docs/faults.md', faults, withTaggedFaults(faults));
fail(problems);

function update(path: string, before: string, after: string): void {
  if (!process.argv.includes('--check')) writeFileSync(join(root, path), after);
  else if (after !== before)
    fail([`${path} is not up to date: run \`npm run specification\` and commit the page.`]);
}

function fail(reasons: readonly string[]): void {
  for (const reason of reasons) console.error(reason);
  if (reasons.length > 0) process.exitCode = 1;
}

function filesIn(folder: string, ending: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .filter((path) => path.endsWith(ending))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
