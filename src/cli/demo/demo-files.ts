import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Puts a small project into the demo's own work directory, if nothing is there. Without it the demo works as well. */
export function layOutDemoFiles(directory: string): void {
  try {
    if (readdirSync(directory).length > 0) return;
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text, { flag: 'wx' });
    }
  } catch {
    // A disk that is full, or a directory that can't be written, is named by the gateway itself.
  }
}

const files: Readonly<Record<string, string>> = {
  'README.md': `# Hello

A tiny project for Turnout's demo agent to work in. Change it, break it, throw it away: the demo makes a new one
when this directory is empty.
`,
  'src/hello.ts': `/** Greets somebody by name. */
export function hello(name: string): string {
  return \`Hello, \${name}!\`;
}
`,
  'src/main.ts': `import { hello } from './hello.js';

console.log(hello('world'));
`,
};
