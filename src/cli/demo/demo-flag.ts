/**
 * Makes `demo` a backend of this program if the command line asks for it: `--backend demo`. Nobody else means it, and its
 * code is loaded for nobody else.
 */
export async function allowDemo(argv: readonly string[]): Promise<void> {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const asked = words.some(
    (word, at) =>
      /^(--backend=|-b=?)demo$/i.test(word) ||
      ((word === '--backend' || word === '-b') && /^demo$/i.test(words[at + 1]?.trim() ?? '')),
  );
  if (asked) (await import('./demo-backend.js')).registerDemoBackend();
}
