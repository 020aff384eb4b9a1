import { fileURLToPath } from 'node:url';

/** What a build has beside the module that asks: bundled modules lie in folders of `dist`, one level deep, as this one in `src`. */
export const turnoutProgram = built('cli/main.js');
export const demoAgentProgram = built('demo-agent/main.js');
export const pageDirectory = built('web');

function built(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
