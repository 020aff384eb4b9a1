import { fileURLToPath } from 'node:url';

/** The built page: `dist/web`. Bundled modules lie in folders of `dist`, one level deep. */
export const pageDirectory = fileURLToPath(new URL('../web', import.meta.url));
