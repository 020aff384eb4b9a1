import type { Advice } from '../output/advice.js';

export const codexAdvice: Advice = {
  signIn:
    'Sign in to Codex first: run `codex login` in a terminal, or store a valid key with `printenv OPENAI_API_KEY | codex login --with-api-key`.',
};
