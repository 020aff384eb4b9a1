import type { Advice } from '../output/advice.js';

export const codexAdvice: Advice = {
  signIn:
    'Sign in to Codex first: run `codex login` in a terminal, or set OPENAI_API_KEY to a valid key (`codex login --with-api-key` stores one).',
};
