import { defaultGraceMs, endFamily, sendTo } from './end-family.js';
import { closeOver } from './find-family.js';
import { readMark } from './mark-child.js';
import { nameOf, type ProcessRow, readProcessTable } from './process-table.js';

/**
 * Ends what a living child's tools have left running: processes with the mark of its run that have lost the tie to it, because
 * the shell that started them has ended. What is still below the child is its own: servers that it talks to.
 */
export async function endStrays(child: number): Promise<void> {
  // What is started from now on is another turn's.
  let known: ReadonlySet<string> | undefined;
  const deadline = performance.now() + defaultGraceMs;
  await endFamily({
    async look() {
      const strays = straysIn(await readProcessTable(), child);
      known ??= new Set(strays.map(nameOf));
      return { found: strays.filter((row) => known?.has(nameOf(row))) };
    },
    send: (family, signal) =>
      sendTo(
        family.map(({ pid }) => pid),
        signal,
      ),
    deadline: () => deadline,
    sureLooks: 1,
  });
}

function straysIn(table: readonly ProcessRow[], child: number): readonly ProcessRow[] {
  const root = table.find(({ pid }) => pid === child);
  const mark = root === undefined ? 'none' : readMark(root);
  if (typeof mark === 'string') return [];
  const tied = new Set(closeOver(table, ({ pid }) => pid === child, { sessions: false }));
  const isOfRun = (row: ProcessRow) => {
    const found = readMark(row);
    return typeof found !== 'string' && found.run === mark.run;
  };
  return closeOver(
    table.filter((row) => !tied.has(row)),
    isOfRun,
    { sessions: false },
  );
}
