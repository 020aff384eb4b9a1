/** The way in which the CLI is run: started for one turn, kept for many, or with its own terminal UI. */
export const runModes = ['one-shot', 'live', 'interactive'] as const;
export type RunMode = (typeof runModes)[number];
