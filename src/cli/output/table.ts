export type Align = 'left' | 'right';

/** Prints columns as wide as their widest cell, two spaces apart. */
export function table(rows: readonly (readonly string[])[], align: readonly Align[]): string {
  const widths = align.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  const lines = rows.map((row) =>
    align
      .map((side, column) => {
        const cell = row[column] ?? '';
        return side === 'right' ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
      })
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
