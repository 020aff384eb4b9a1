import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtPage, open, useBrowser } from './stage.js';
import { type Answers, serveViews } from './views-server.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

useBrowser();

async function serve(answers: Answers) {
  const server = await serveViews(builtPage, { 'GET /v1/channels': { channels: [] }, ...answers });
  onTestFinished(() => server.close());
  return server;
}

/** What axe-core finds in the view, of any severity, in light and dark. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate<string[]>(
      "axe.run(document.querySelector('.view')).then(({violations}) => violations.map(({id, nodes}) => id + ': ' + nodes[0].html))",
    );
    found.push(...violations.map((one) => `${colorScheme}: ${one}`));
  }
  return found;
}

async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(
    "[document.documentElement, ...document.querySelectorAll('.view, .side, .page')].some((one) => one.scrollWidth > one.clientWidth)",
  );
}

describe('the view of the changes', () => {
  const diff = '@@ -1,2 +1,2 @@ heading\n const a = 1;\n-const b = "two";\n+const b = "three";\n';
  const file = (path: string, more: object = {}) => ({
    path,
    status: 'modified',
    binary: false,
    additions: 1,
    deletions: 1,
    diff,
    changedSince: false,
    shown: 'first',
    ...more,
  });
  const list = 'GET /v1/channels/room/changes';
  const revert = 'POST /v1/channels/room/changes/revert';

  it('shows the files of the last turn, and those of the whole conversation (16.4)', async () => {
    const { address } = await serve({
      [list]: (query: URLSearchParams) =>
        query.get('scope') === 'turn'
          ? { scope: 'turn', files: [file('src/a.ts'), file('b.bin', { binary: true, diff: undefined })] }
          : { scope: 'conversation', files: [], reason: 'git is not installed.' },
    });
    const { page, problems } = await open(`${address}/#/c/room/changes`);
    const code = page.getByRole('region', { name: 'Changes in src/a.ts' });
    await expect.poll(() => code.locator('.code-row.added').innerText()).toContain('const b = "three";');
    expect(await code.locator('.code-row.removed .code-changed').innerText()).toBe('two');
    expect(await code.locator('.code-row.same .new').innerText()).toBe('1');
    expect(
      await page
        .getByRole('button', { name: /src\/a\.ts/ })
        .first()
        .innerText(),
    ).toContain('modified');
    await page.getByRole('button', { name: /^b\.bin/ }).click();
    await page.getByText('This is a binary file').waitFor();
    await page.getByRole('tab', { name: 'Whole conversation' }).click();
    await page.getByText('git is not installed.').waitFor();
    expect(problems).toEqual([]);
  });

  it('puts a file back after a question, which says what would be lost, and only as it was shown (16.4)', async () => {
    let files = [file('a.ts'), file('b.ts', { changedSince: true })];
    const { address, asked } = await serve({
      [list]: () => ({ scope: 'turn', files }),
      [revert]: (_: unknown, body: { path: string; shown: string }) => {
        if (files.find(({ path }) => path === body.path)?.shown !== body.shown)
          return { status: 409, json: { error: { code: 'changed_since', message: 'It was changed.' } } };
        files = files.filter(({ path }) => path !== body.path);
        return {};
      },
    });
    const { page } = await open(`${address}/#/c/room/changes`);
    await page.getByRole('button', { name: 'Revert b.ts' }).click();
    await page.getByText('those changes would be lost too').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Revert b.ts' }).click();
    await page.keyboard.press('Enter');
    await page.getByText('b.ts was put back.').waitFor();
    await expect.poll(() => page.locator('.changed-file').count()).toBe(1);
    await page.getByRole('button', { name: 'Revert a.ts' }).click();
    // The question stays about what was shown when it came, although the list is loaded again under it.
    files = [file('a.ts', { changedSince: true, shown: 'second', diff: diff.replace('three', 'four') })];
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('"four"').waitFor();
    await page.getByRole('button', { name: 'Revert file' }).click();
    await page.getByText('a.ts was changed after you looked at it, and was left alone.').waitFor();
    await page.getByRole('button', { name: 'Revert a.ts' }).click();
    await page.getByRole('button', { name: 'Revert, and lose later changes' }).click();
    await page.getByText('The last turn left no changes').waitFor();
    expect(asked.filter(({ route }) => route === revert).map(({ body }) => body)).toEqual([
      { scope: 'turn', path: 'b.ts', shown: 'first', force: true },
      { scope: 'turn', path: 'a.ts', shown: 'first', force: false },
      { scope: 'turn', path: 'a.ts', shown: 'second', force: true },
    ]);
    // A small one, beside the tabs.
    expect((await page.getByRole('button', { name: 'Refresh' }).boundingBox())?.width).toBeLessThan(120);
  });

  it('is loaded again when a turn has ended (16.4)', async () => {
    let files = [file('a.ts')];
    const { address, push } = await serve({ [list]: () => ({ scope: 'turn', files }) });
    const { page } = await open(`${address}/#/c/room/changes`);
    await page.getByRole('button', { name: /^a\.ts/ }).waitFor();
    files = [file('a.ts'), file('b.ts')];
    push('turn', {
      turnId: 't',
      channel: 'room',
      eventIds: ['e'],
      state: 'answered',
      startedAt: '2026-11-16T10:00:00Z',
    });
    await page.getByRole('button', { name: /^b\.ts/ }).waitFor();
  });

  it('can be read with the keyboard: j, k and Enter (16.4)', async () => {
    const { address } = await serve({ [list]: { scope: 'turn', files: [file('a.ts'), file('b.ts')] } });
    const { page } = await open(`${address}/#/c/room/changes`);
    const [first, second] = [
      page.getByRole('button', { name: /^a\.ts/ }),
      page.getByRole('button', { name: /^b\.ts/ }),
    ];
    await first.waitFor();
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    expect(await second.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('k');
    expect(await first.evaluate('document.activeElement?.textContent')).toContain('a.ts');
    await page.getByRole('textbox', { name: 'Message' }).fill('');
    await page.keyboard.type('jk');
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('jk');
  });

  it('draws of a huge diff only a part, and shows what hides in it (16.4, 16.5)', async () => {
    const lines = Array.from({ length: 30_000 }, (_, nth) => `+const value${nth} = ${nth};`);
    const huge = `@@ -0,0 +1,30002 @@\n+a\u202eb<script>alert(1)</script>\n+${'x'.repeat(400_000)}\n${lines.join('\n')}\n`;
    const { address } = await serve({ [list]: { scope: 'turn', files: [file('a.ts', { diff: huge })] } });
    const { page, problems } = await open(`${address}/#/c/room/changes`);
    await page.getByText('U+202E').waitFor();
    expect(await page.locator('*').count()).toBeLessThan(4_000);
    expect(await page.locator('.code-row').nth(1).innerText()).toContain('more characters');
    await page.getByRole('button', { name: 'Show 400 more lines' }).click();
    await expect.poll(() => page.locator('.code-row').count()).toBe(599);
    expect(problems).toEqual([]);
  });

  it.each([
    ['wide', {}],
    ['phone', phone],
  ] as const)('is accessible and no wider than the screen: %s (16.4)', async (_, size) => {
    const long = `@@ -0,0 +1 @@\n+const long = '${'words and '.repeat(60)}'; // 42\n`;
    const { address } = await serve({
      [list]: {
        scope: 'turn',
        reason: 'Only the first files are shown.',
        files: [
          file('a.ts'),
          file(`${'long/'.repeat(40)}b.py`, { diff: long, status: 'added', changedSince: true }),
          file('c.md', { status: 'deleted' }),
        ],
      },
    });
    const { page } = await open(`${address}/#/c/room/changes`, size);
    await page.getByRole('button', { name: 'Revert c.md' }).click();
    expect(await findings(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole('button', { name: 'Wrap lines' }).click();
    expect(await isTooWide(page)).toBe(false);
  });
});

describe('the view of the statistics', () => {
  const point = (query: URLSearchParams, step: number, turns: number) => ({
    at: new Date(
      Date.parse(query.get('since') ?? '') + step * Number(query.get('stepSeconds')) * 1_000,
    ).toISOString(),
    turns,
    answered: turns - 1,
    failed: 1,
    cancelled: 0,
    medianMs: 12_000,
    slowestMs: 80_000,
    inputTokens: 30_000,
    outputTokens: 2_000,
    cachedInputTokens: 20_000,
    costUsd: 0.25,
    errors: { rate_limit: 1 },
  });
  const answers: Answers = {
    'GET /v1/statistics': (query: URLSearchParams) => ({
      since: query.get('since'),
      until: query.get('until'),
      stepSeconds: Number(query.get('stepSeconds')),
      series: ['claude', 'codex'].map((key, nth) => ({
        key,
        points: [point(query, 3, 4 + nth), point(query, 9, 7)],
      })),
    }),
    'GET /v1/usage': (query: URLSearchParams) => ({
      rows: [
        {
          key: `a ${query.get('by')}`,
          turns: 9,
          inputTokens: 1,
          outputTokens: 1,
          cachedInputTokens: 0,
          costUsd: 1,
        },
      ],
    }),
  };

  it('draws the charts, and tells their values on focus and in a table (16.4)', async () => {
    const { address, asked } = await serve(answers);
    const { page, problems } = await open(`${address}/#/statistics`);
    const turns = page.getByRole('figure', { name: 'Turns' });
    await turns.getByRole('group', { name: /arrow keys/ }).focus();
    await expect.poll(() => turns.getByRole('status').innerText()).toContain('14');
    await page.keyboard.press('Home');
    expect(await turns.getByRole('status').innerText()).toContain('Nothing');
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    expect(await turns.getByRole('status').innerText()).toContain('9');
    await turns.getByText('Table').click();
    expect(await turns.getByRole('row').count()).toBe(3);
    expect(await page.getByRole('figure', { name: 'Errors' }).innerText()).toContain('rate limit');
    await page.getByRole('checkbox', { name: 'codex' }).uncheck();
    expect(await turns.getByRole('row').nth(1).innerText()).not.toContain('5');
    await page.getByText('30 d').click();
    await page.getByText('Per channel').click();
    await page.getByRole('table', { name: 'Used per channel' }).getByText('a channel').waitFor();
    expect(asked.some(({ route }) => /statistics\?by=channel.*stepSeconds=86400/.test(route))).toBe(true);
    expect(problems).toEqual([]);
  });

  it('says so when nothing has run, or when the gateway does not answer (16.4)', async () => {
    const nothing = {
      since: '2026-01-01T00:00:00Z',
      until: '2026-01-02T00:00:00Z',
      stepSeconds: 3600,
      series: [],
    };
    let fails = true;
    const { address } = await serve({
      'GET /v1/statistics': () =>
        fails ? { status: 503, json: { error: { code: 'overloaded', message: 'Too busy.' } } } : nothing,
      'GET /v1/usage': { rows: [] },
    });
    const { page } = await open(`${address}/#/statistics`);
    await page.getByText('Too busy.').waitFor();
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No turn has run in this time').waitFor();
  });

  it.each([
    ['wide', {}],
    ['phone', phone],
  ] as const)('is accessible and no wider than the screen: %s (16.4)', async (_, size) => {
    const { address } = await serve(answers);
    const { page } = await open(`${address}/#/statistics`, size);
    await page
      .getByRole('figure', { name: 'Errors' })
      .getByRole('group', { name: /arrow keys/ })
      .focus();
    expect(await findings(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });
});

describe('the view of the chain runs', () => {
  const step = { agent: 'builder', backend: 'codex', iterations: 2, output: '' };
  const run = (status: string, steps: readonly object[]) => ({
    runId: 'run-1',
    chain: 'nightly',
    status,
    startedAt: '2026-11-16T10:00:00Z',
    steps,
  });

  it('leads from the list to a run, which goes on under the eyes of the reader (16.4)', async () => {
    let shown = run('running', [{ ...step, status: 'running' }]);
    const { address, asked } = await serve({
      'GET /v1/chains/runs': { runs: [{ ...run('running', []), cwd: '/work' }] },
      'GET /v1/chains/runs/run-1': () => shown,
    });
    const { page, problems } = await open(`${address}/#/chains`);
    await page.getByRole('link', { name: 'nightly' }).click();
    await page.getByText('0 of 1 step done').waitFor();
    const output = '**bold** <img src=x onerror=alert(1)> [x](javascript:alert(1))';
    shown = run('failed', [
      {
        ...step,
        status: 'failed',
        reason: 'error',
        output,
        error: { code: 'rate_limit', message: 'Too many.' },
      },
    ]);
    await page.getByText('Too many.').waitFor();
    expect(await page.locator('.chain-output strong').innerText()).toBe('bold');
    expect(await page.locator('.chain-output img, .chain-output a[href^=javascript]').count()).toBe(0);
    await page.getByText('turnout chain resume run-1').waitFor();
    const before = asked.length;
    await page.waitForTimeout(3_500);
    expect(asked.slice(before).filter(({ route }) => route.includes('run-1'))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['wide', {}],
    ['phone', phone],
  ] as const)('is accessible and no wider than the screen: %s (16.4)', async (_, size) => {
    const { address } = await serve({
      'GET /v1/chains/runs': { runs: [{ ...run('running', []), cwd: `/${'long/'.repeat(40)}` }] },
      'GET /v1/chains/runs/run-1': run('incomplete', [
        {
          ...step,
          name: 'Plan',
          status: 'done',
          reason: 'marker',
          output: '# Plan\n\n`code`',
          verified: true,
        },
        { ...step, status: 'waiting' },
      ]),
    });
    const { page } = await open(`${address}/#/chains`, size);
    await page.getByRole('link', { name: 'nightly' }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole('link', { name: 'nightly' }).click();
    await page.getByText('reviewer').or(page.getByText('Plan').first()).first().waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });
});
