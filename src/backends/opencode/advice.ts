import type { Advice } from '../output/advice.js';

export const openCodeAdvice: Advice = {
  signIn:
    "Sign in to the model's provider first: run `opencode auth login` in a terminal, or correct the key in OpenCode's settings.",
};
