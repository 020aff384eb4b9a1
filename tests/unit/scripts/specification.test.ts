import { describe, expect, it } from 'vitest';
import { findTests } from '../../../scripts/specification/find-tests.js';
import { checkPage } from '../../../scripts/specification/page.js';

const page = `# Specification

### R1 Adapter

- **R1.1** It runs.
- **R1.2** It ends.
  - Not yet: in time.
- **P8** Exits.

## S
`;

const check = (test: string, source = '', from = page) =>
  checkPage(from, [{ path: 'tests/a.test.ts', text: test }], [{ path: 'src/a.ts', text: source }]);

describe('the page', () => {
  const proven = check(`describe('a CLI', () => {
    it('runs (R1.1)', () => {});
    it('Feature: some-feature, Property 8: exits *well*', () => {});
  });`);

  it('has the tests below each line, and keeps the rest as it is', () => {
    expect(proven.problems).toEqual([]);
    expect(proven.page).toBe(`# Specification

### R1 Adapter

- **R1.1** It runs.
  - [tests/a.test.ts](../tests/a.test.ts): a CLI › runs
- **R1.2** It ends.
  - Not yet.
  - Not yet: in time.
- **P8** Exits.
  - [tests/a.test.ts](../tests/a.test.ts): a CLI › exits \\*well\\*

## S
`);
  });

  it('changes when a test comes or goes, and not otherwise', () => {
    expect(check(`it('runs (R1.1)');`, '', proven.page).page).not.toBe(proven.page);
    expect(check(`it('runs (R1.1)');`, '', check(`it('runs (R1.1)');`).page).page).toBe(
      check(`it('runs (R1.1)');`).page,
    );
  });

  it('shows three tests of a line and counts the others', () => {
    const many = [1, 2, 3, 4, 5].map((n) => `it('runs ${n} times (R1.1)', run);`).join('\n');
    expect(check(many).page).toMatch(/runs 3 times\n {2}- and 2 more\n- \*\*R1.2/);
  });

  it('names a group once, not each test in it that repeats its tag', () => {
    const nested = `describe('Property 8: exits', () => { it('Property 8: at once', run); });`;
    expect(check(nested).page).toContain('): exits\n\n## S');
  });
});

describe('a problem', () => {
  it('is a line that only the reading of settings proves', () => {
    const file = (path: string) => ({ path, text: "it('runs (R1.1)', run);" });
    const settings = file('tests/unit/gateway/config.test.ts');
    expect(checkPage(page, [settings], []).problems).toEqual([
      'R1.1 is proven by the reading of settings alone: test what they change.',
    ]);
    expect(checkPage(page, [settings, file('tests/a.test.ts')], []).problems).toEqual([]);
  });

  it('is a tag that names no line, or a group of lines', () => {
    expect(check(`it('flies (R7.3)', fly);`).problems).toEqual([
      'tests/a.test.ts: "flies" is tagged R7.3: there is no such line in the specification.',
      'tests/a.test.ts cites R7.3: there is no such line in the specification.',
    ]);
    expect(check(`it('flies (R1)', fly);`).problems).toEqual([
      'tests/a.test.ts: "flies" is tagged R1: that is a group, name one of its lines.',
    ]);
    expect(check(`it('Property 9: flies', fly);`).problems).toEqual([
      'tests/a.test.ts: "flies" is tagged P9: there is no such line in the specification.',
    ]);
  });

  it('is a number in a title that is no tag', () => {
    for (const title of ['runs as R1.1 says', 'runs (R1.1–R1.2)', 'runs (older R1.1)'])
      expect(check(`it('${title}', run);`).problems[0]).toContain('holds R1.1 outside of a tag');
  });

  it('is a citation of no line, in source and comments; one of a line or a group is none', () => {
    expect(check('', '/** R1: as S9 says. */ // R1.1 and P8').problems).toEqual([
      'src/a.ts cites S9: there is no such line in the specification.',
    ]);
  });

  it('is a line that stands twice', () => {
    expect(check('', '', `${page}- **R1.1** It runs.\n`).problems).toEqual([
      'R1.1 stands twice in the specification.',
    ]);
  });
});

describe('a tag is found in', () => {
  it.each([
    ['it', `it('runs (R1.1)', run);`],
    ['test', `test("runs (R1.1)", run);`],
    ['describe with a modifier', `describe.concurrent('runs (R1.1)', { timeout: 1 }, () => {});`],
    ['a template string', 'it(`runs (R1.1)`, run);'],
    ['a title on its own line', `it.runIf(linux)(\n  'runs (R1.1)',\n  run,\n);`],
    ['a table', `it.each([\n  [')', "('", /[/)]\\)/],\n  // it can't\n])('runs (R1.1)', run);`],
    ['a table with types', `it.each<[string, () => Promise<never>]>([\n])('runs (R1.1)', run);`],
    ['two modifiers', `it.skipIf(!found('x')).each(all)('runs (R1.1)', run);`],
    ['a call behind half a bracket', `expect(')').toBe("(");\nconst x = 1 / 2; it('runs (R1.1)', run);`],
  ])('%s', (_, source) => {
    expect(findTests(source)).toMatchObject([{ path: ['runs'], tags: ['R1.1'] }]);
  });

  it('several brackets, with other words beside it', () => {
    const source = `it(\`\${all(\`x\`)} it\\'s (live: \${live}, R1.1) (P8)\`, run);`;
    expect(findTests(source)).toMatchObject([{ path: ["… it's (live: …)"], tags: ['R1.1', 'P8'] }]);
  });

  it('a test below the groups that are around it, and no others', () => {
    const source = `
      describe('a', () => { describe('b (R1.1)', () => {}); it('c', () => { run(\`}\${')'}\`); }); });
      for (const x of y) { it('d', run); }`;
    expect(findTests(source).map(({ path }) => path.join(' '))).toEqual(['a', 'a b', 'a c', 'd']);
  });

  it('no comment, string or call of something else', () => {
    const source = `// it('runs (R1.1)')
      /* it('runs (R1.1)') */ const s = "it('runs (R1.1)')"; submit('runs (R1.1)'); x.it('runs (R1.1)');
      it(name, run); const { it } = y;`;
    expect(findTests(source)).toEqual([]);
  });
});
