/** The vendors that the lab, the recordings and the benchmarks know. The registry may have further backends. */
export const vendorNames = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type VendorName = (typeof vendorNames)[number];

/** A backend's name: a vendor's, or that of any other backend in the registry. */
export type BackendName = VendorName | (string & {});
