import { findTests, lineNumber } from './find-tests.js';

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** A page that is up to date, and the tags and citations that name no line of it. */
export interface CheckedPage {
  readonly page: string;
  readonly problems: readonly string[];
}

/** The specification with the tests that prove each line. `citing` are the files that may only cite lines. */
export function checkPage(
  page: string,
  tests: readonly SourceFile[],
  citing: readonly SourceFile[],
): CheckedPage {
  const lines = [...page.matchAll(requirement)].map(([, number = '']) => number);
  const groups = [...page.matchAll(groupHeading)].map(([, number = '']) => number);
  const proofs = new Map<string, string[]>(lines.map((number) => [number, []]));
  const problems = lines
    .filter((number, index) => lines.indexOf(number) !== index)
    .map((number) => `${number} stands twice in the specification.`);

  for (const file of tests) {
    for (const test of findTests(file.text)) {
      const title = `${file.path}: "${test.path.join(' › ')}"`;
      for (const number of test.unclear)
        problems.push(
          `${title} holds ${number} outside of a tag: write each number by itself, as in (${number}).`,
        );
      for (const number of test.tags) {
        const proven = proofs.get(number);
        if (proven === undefined) problems.push(`${title} is tagged ${number}: ${missing(number, groups)}`);
        else if (!test.inherited.includes(number)) proven.push(describeProof(file.path, test.path));
      }
    }
  }
  for (const [number, found] of proofs) {
    if (found.length > 0 && found.every((proof) => proof.startsWith(`[${settingsTests}]`)))
      problems.push(`${number} is proven by the reading of settings alone: test what they change.`);
  }
  const citable = new Set([...lines, ...groups]);
  for (const { path, text } of [...tests, ...citing]) {
    for (const number of new Set(text.match(lineNumber)))
      if (!citable.has(number)) problems.push(`${path} cites ${number}: ${missing(number, groups)}`);
  }
  return { page: withProofs(page, proofs), problems: [...new Set(problems)] };
}

/** They show that a setting is read, not that anything obeys it. */
const settingsTests = 'tests/unit/gateway/config.test.ts';

const requirement = /^- \*\*([RPSO]\d+(?:\.\d+)?)\*\* /gm;
const groupHeading = /^### ([RPSO]\d+) /gm;

function missing(number: string, groups: readonly string[]): string {
  return groups.includes(number)
    ? 'that is a group, name one of its lines.'
    : 'there is no such line in the specification.';
}

function withProofs(page: string, proofs: ReadonlyMap<string, readonly string[]>): string {
  return page.replaceAll(
    /^- \*\*([RPSO]\d+(?:\.\d+)?)\*\* .*\n(?: {2}- .*\n)*/gm,
    (block: string, number: string) => {
      const [line = '', ...below] = block.trimEnd().split('\n');
      const gaps = below.filter((each) => each.startsWith('  - Not yet: '));
      return `${[line, ...showProofs(proofs.get(number) ?? []), ...gaps].join('\n')}\n`;
    },
  );
}

const shown = 3;

function showProofs(proofs: readonly string[]): readonly string[] {
  if (proofs.length === 0) return ['  - Not yet.'];
  const listed = proofs.slice(0, shown).map((proof) => `  - ${proof}`);
  return proofs.length > shown ? [...listed, `  - and ${proofs.length - shown} more`] : listed;
}

function describeProof(file: string, path: readonly string[]): string {
  const title = path.join(' › ').replaceAll(/[\\`*_<>[\]]/g, '\\$&');
  return `[${file}](../${file}): ${title}`;
}
