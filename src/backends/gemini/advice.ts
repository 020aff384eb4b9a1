import type { Advice } from '../output/advice.js';

export const geminiAdvice: Advice = {
  signIn:
    'Sign in to Gemini CLI first: run `gemini` once in a terminal and choose how to sign in, or set GEMINI_API_KEY to a valid key.',
};
