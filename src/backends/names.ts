export const backendNames = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type BackendName = (typeof backendNames)[number];
