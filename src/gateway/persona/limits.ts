/** Limits in bytes of UTF-8. */
export interface PromptLimits {
  /** The limit of each file, front matter included. */
  readonly fileBytes: number;
  /** The limit of the whole system prompt, headings and marks included. */
  readonly totalBytes: number;
}

export const defaultPromptLimits: PromptLimits = { fileBytes: 32 * 1024, totalBytes: 128 * 1024 };
