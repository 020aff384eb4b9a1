import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// The page: `web/` becomes `dist/web`, which the gateway serves. Nothing is put inline: its Content-Security-Policy forbids it.
export default defineConfig({
  root: fileURLToPath(new URL('web', import.meta.url)),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    // What the views share with the page is in the page's own file: two files are larger than one.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'page', test: /\/web\/(?!views)|\/preact\/|\/src\// }] } },
    },
  },
});
