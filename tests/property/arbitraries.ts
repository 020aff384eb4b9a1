import fc from 'fast-check';

/** Any character, no half of a surrogate pair. fast-check's own unit `binary` takes 2 s to be made in each process. */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

/** Characters of prompts and answers, with more of those that have broken parsers. No lone surrogates. */
const tricky = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\t',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u0000',
    '\u001b[31m',
    '\ufeff',
    '\u007f',
  ],
  ...[
    '"',
    "'",
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '`',
    '$(x)',
    '%s',
    '--',
    '-',
    '/',
    '@',
    '\\u0041',
    '{"type":"result"}',
  ],
  ...['é', 'e\u0301', '😀', '👩‍👩‍👧', '漢字', '\u202e'],
);

/** Any whole character. (The unit "binary" of fast-check means the same, and takes a second to set up.) */
const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0xff }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

const unit = fc.oneof({ weight: 3, arbitrary: character }, { weight: 2, arbitrary: tricky });

export const anyText: fc.Arbitrary<string> = fc.array(unit, { maxLength: 20 }).map((parts) => parts.join(''));

/** An answer that is not empty; blanks alone are one, because "empty" means zero characters. */
export const someText: fc.Arbitrary<string> = anyText.filter((text) => text !== '');

const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code));

/** Any string: the empty one, halves of surrogate pairs, NUL, one that looks like an option, one that fits no argument. */
export const anyString: fc.Arbitrary<string> = fc.oneof(
  // A counterexample of 150,000 characters shrinks to a short one, if that fails too.
  { withCrossShrink: true },
  {
    weight: 30,
    arbitrary: fc
      .array(fc.oneof({ weight: 5, arbitrary: unit }, { weight: 1, arbitrary: surrogate }), { maxLength: 20 })
      .map((parts) => parts.join('')),
  },
  { weight: 10, arbitrary: fc.constantFrom('', ' ', '-', '--', '-p', '--help', '\0', '\ud800', '\udc00x') },
  { weight: 6, arbitrary: anyText.map((text) => `-${text}`) },
  { weight: 1, arbitrary: unit.map((char) => char.repeat(150_000 / char.length)) },
);

/** Any string but the empty one. */
export const someString: fc.Arbitrary<string> = anyString.filter((text) => text !== '');

/** Any opaque id, also one that looks like an option, and the empty one, which is none. */
export const sessionId: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 3, arbitrary: anyString },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '--resume', '--', '-', '--help', 'resume', 'latest', '$(id)', "'", 'a b'),
  },
);

/** Any prompt, also one that a CLI would take for a command of its own. */
export const prompt: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: anyString },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '--resume',
      '-p',
      '--',
      '-',
      'resume',
      'help',
      'mcp',
      '/clear',
      '@file',
      '--output-format',
    ),
  },
);

export const settings = fc.record({
  workingDir: fc.oneof(
    fc.constantFrom('/work', '/a b/c', '/-x'),
    anyText.map((text) => `/${text}`),
    anyString,
  ),
  model: fc.option(fc.oneof(fc.constantFrom('sonnet', 'openai/gpt-5', '-m', ''), anyString), {
    nil: undefined,
  }),
  allowedTools: fc.array(
    fc.oneof(fc.constantFrom('Bash', 'Read', 'Bash(git:*)', 'mcp__x__y', 'Edit'), anyString),
    { maxLength: 5 },
  ),
  maxTurns: fc.integer({ min: 1, max: 1000 }),
});

/** Lines that a CLI, its shell or its runtime prints between its JSON; some begin as JSON does. */
export const noiseLine: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      '   ',
      'Warning: something',
      '\u001b[33mwarn\u001b[0m',
      '(node:1) ExperimentalWarning: x',
      'null',
      '42',
      '"text"',
    ],
    ...['[STARTUP] a phase', '{ not json', '{', '}', '[1, 2]', '[]', '> tool', 'true', '\ufeff', '{"type":'],
  ),
  fc.string({ maxLength: 20 }).filter((line) => !line.includes('\n') && !isObjectOrArray(line)),
);

/** The places at which to cut a text's bytes. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
  maxLength: 8,
});

export function chunksOf(text: string, at: readonly number[]): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const places = [
    0,
    ...at.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

/** Each property runs at least 100 times. */
export const runs = { numRuns: 120 };

function isObjectOrArray(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
