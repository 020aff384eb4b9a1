import type { VendorName } from '../../src/backends/registry.js';

/**
 * True for one-shot turns of the CLIs that take seconds to start, for every turn. What is the gateway's own work is seen with
 * the others, and live with these, too. LAB_FULL=1 runs all.
 */
export function isLeftOut(backend: VendorName, mode: 'one-shot' | 'live'): boolean {
  const isSlow = backend === 'gemini' || backend === 'opencode';
  return mode === 'one-shot' && isSlow && !process.env['LAB_FULL'];
}
