/**
 * How series are told apart: by colour, and for those who see no colours by pattern (bars) or mark (lines). The colours
 * are `--series-0` to `--series-7` in statistics.css.
 */
export const looks = 8;

/** The lines over a bar's colour. The first series is plain. */
export function BarPattern({ id, look }: { readonly id: string; readonly look: number }) {
  return (
    <pattern id={id} width="8" height="8" patternUnits="userSpaceOnUse">
      <path d={patternPaths[look % looks] ?? ''} class="chart-pattern" />
    </pattern>
  );
}

const patternPaths = [
  '',
  'M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4',
  'M2,2 h1 v1 h-1 z M6,6 h1 v1 h-1 z',
  'M0,2 h8 M0,6 h8',
  'M0,0 l8,8 M8,0 l-8,8',
  'M2,0 v8 M6,0 v8',
  'M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4',
  'M0,4 h8 M4,0 v8',
];

export function isPlain(look: number): boolean {
  return look % looks === 0;
}

/** The mark of a line at a point. */
export function markPath(look: number, x: number, y: number, size = 3.5): string {
  const s = size;
  switch (look % 4) {
    case 0:
      return `M${x - s},${y} a${s},${s} 0 1,0 ${2 * s},0 a${s},${s} 0 1,0 ${-2 * s},0 z`;
    case 1:
      return `M${x - s},${y - s} h${2 * s} v${2 * s} h${-2 * s} z`;
    case 2:
      return `M${x},${y - s * 1.2} l${s * 1.2},${s * 2.1} h${-2.4 * s} z`;
    default:
      return `M${x},${y - s * 1.3} l${s * 1.3},${s * 1.3} l${-s * 1.3},${s * 1.3} l${-s * 1.3},${-s * 1.3} z`;
  }
}

/** The sample of a series in a legend. */
export function Swatch({
  kind,
  look,
  id,
}: {
  readonly kind: 'bars' | 'lines';
  readonly look: number;
  readonly id: string;
}) {
  if (kind === 'lines') {
    return (
      <svg class={`swatch series-${look % looks}`} width="22" height="12" aria-hidden="true">
        <path class={`chart-line dash-${look % 3}`} d="M1,6 H21" />
        <path class="chart-mark" d={markPath(look, 11, 6)} />
      </svg>
    );
  }
  return (
    <svg class={`swatch series-${look % looks}`} width="14" height="14" aria-hidden="true">
      <defs>
        <BarPattern id={id} look={look} />
      </defs>
      <rect class="chart-bar" width="14" height="14" rx="2" />
      {!isPlain(look) && <rect width="14" height="14" rx="2" fill={`url(#${id})`} />}
    </svg>
  );
}
