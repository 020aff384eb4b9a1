import { vendorNames } from '../../backends/names.js';
import { shortBackendName } from '../../config/formats.js';

/**
 * Makes `demo` a backend of this program if the command line names one that is no vendor's: it may be `--backend demo`, and a
 * wrong name is refused with the list of all that there are. Its code is loaded for nobody else.
 */
export async function allowDemo(argv: readonly string[]): Promise<void> {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const isOther = words.some((word, at) => {
    const named = /^(?:--backend=|-b=?)(.+)$/s.exec(word)?.[1];
    const written = word === '--backend' || word === '-b' ? words[at + 1] : named;
    return written !== undefined && !vendorNames.some((name) => name === shortBackendName(written));
  });
  if (isOther) (await import('./demo-backend.js')).registerDemoBackend();
}
