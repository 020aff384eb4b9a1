import fc from 'fast-check';

const marker = 'ORCHESTRA_COMPLETE';

/** What an agent says in one message, built from parts of which it is known whether they are a claim to be done. */
export interface Message {
  readonly text: string;
  /** Every line that says something, in order. The line that closes a fence is none. */
  readonly lines: readonly SaidLine[];
}

export type SaidLine = 'words' | 'marker' | 'fenced marker';

/** True if the agent has said that it is done: on a line of its own, or in a fence as the very last line of all. */
export function isClaimed(messages: readonly Message[]): boolean {
  const lines = messages.flatMap((message) => message.lines);
  return lines.includes('marker') || lines.at(-1) === 'fenced marker';
}

interface Block {
  readonly rows: readonly string[];
  readonly lines: readonly SaidLine[];
  /** True for a fence that is not closed: nothing can follow it in its message. */
  readonly open?: true;
}

/** Lines that are no marker, though some of them look like one. */
const words = fc.constantFrom(
  ...[
    `I will print ${marker} when I am done.`,
    `${marker}.`,
    `> ${marker}`,
    `- ${marker}`,
    `\`${marker}\``,
    `**${marker}**`,
    `${marker}D`,
    `${marker}:other`,
    marker.toLowerCase(),
    'ORCHESTRA_',
    'COMPLETE',
    '``',
    '```sh``` is code in a sentence',
    `\u001b[32m${marker}\u001b[0m follows`,
    'naïve 😀 漢字 👩‍👩‍👧',
    `${'x'.repeat(5000)}${marker}`,
    'working … 10 %\rworking … 20 %',
  ],
);

/** The marker as agents and terminals print it. */
const markers = fc.constantFrom(
  ...[marker, `  ${marker}`, `${marker} \t`, `${marker}\r`, `\u001b[1;32m${marker}\u001b[0m`],
  ...[`\u001b[32m${marker}\u001b(B\u001b[m`, `\u001b]8;;http://x\u0007${marker}\u001b]8;;\u001b\\`],
);

const blanks = fc.constantFrom('', '   ', '\t', '\r', '\u001b[0m');

const plainBlock: fc.Arbitrary<Block> = fc.oneof(
  { weight: 6, arbitrary: words.map((row) => ({ rows: [row], lines: ['words' as const] })) },
  { weight: 1, arbitrary: markers.map((row) => ({ rows: [row], lines: ['marker' as const] })) },
  { weight: 2, arbitrary: blanks.map((row) => ({ rows: [row], lines: [] })) },
);

const fences = fc.record({
  character: fc.constantFrom('`', '~'),
  length: fc.integer({ min: 3, max: 5 }),
  indent: fc.constantFrom('', '  ', '    ', '\t'),
  item: fc.constantFrom('', '', '', '- ', '2. '),
  info: fc.constantFrom('', '', 'text', ' js '),
  longer: fc.integer({ min: 0, max: 2 }),
});

/** A fence with lines in it that don't close it: markers, words, other fences. */
const fencedBlock: fc.Arbitrary<Block> = fences.chain(({ character, length, indent, item, info, longer }) => {
  const fence = character.repeat(length);
  const others = [
    (character === '`' ? '~' : '`').repeat(6),
    character.repeat(length - 1),
    `${fence}sh`,
    `- ${fence}`,
  ];
  const inner: fc.Arbitrary<Block> = fc.oneof(
    { weight: 2, arbitrary: words.map((row) => ({ rows: [row], lines: ['words' as const] })) },
    { weight: 3, arbitrary: markers.map((row) => ({ rows: [row], lines: ['fenced marker' as const] })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...others).map((row) => ({ rows: [row], lines: ['words' as const] })),
    },
    { weight: 1, arbitrary: blanks.map((row) => ({ rows: [row], lines: [] })) },
  );
  return fc.tuple(fc.array(inner, { maxLength: 4 }), fc.boolean()).map(([parts, closed]) => ({
    rows: [
      `${indent}${item}${fence}${info}`,
      ...parts.flatMap(({ rows }) => rows.map((row) => indent + row)),
      ...(closed ? [`${indent}${fence}${character.repeat(longer)}`] : []),
    ],
    lines: ['words' as const, ...parts.flatMap(({ lines }) => lines)],
    ...(closed ? {} : { open: true as const }),
  }));
});

/** Any message of an agent, with or without a line end. */
export const message: fc.Arbitrary<Message> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: plainBlock }, { weight: 1, arbitrary: fencedBlock }), {
      minLength: 1,
      maxLength: 5,
    }),
    fc.constantFrom('', '', '\n', '\n\n'),
  )
  .map(([blocks, end]) => {
    const firstOpen = blocks.findIndex(({ open }) => open);
    const whole = firstOpen === -1 ? blocks : blocks.slice(0, firstOpen + 1);
    return {
      text: whole.flatMap(({ rows }) => rows).join('\n') + end,
      lines: whole.flatMap(({ lines }) => lines),
    };
  });

export const messages: fc.Arbitrary<readonly Message[]> = fc.array(message, { minLength: 1, maxLength: 4 });
