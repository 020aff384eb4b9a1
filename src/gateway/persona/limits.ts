/** In bytes of UTF-8. */
export interface PromptLimits {
  /** Of each file, front matter included. */
  readonly fileBytes: number;
  /** Of the whole system prompt, headings and marks included. */
  readonly totalBytes: number;
}

export const defaultPromptLimits: PromptLimits = { fileBytes: 32 * 1024, totalBytes: 128 * 1024 };
