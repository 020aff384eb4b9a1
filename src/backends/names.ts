/** The vendors' CLIs, which the lab, the recordings and the benchmarks know too. */
export const vendorNames = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type VendorName = (typeof vendorNames)[number];

/** A name that \`resolveBackendName\` returns. */
export type BackendName = VendorName;

/** The name of one of the four, or of any other backend in the registry. */
export type AnyBackendName = BackendName | (string & {});

/** The runner that is no backend: the vendor's own SDK in place of `codex`. */
export const codexSdk = 'codex-sdk';
