import type { Advice } from '../output/advice.js';

export const claudeAdvice: Advice = {
  signIn:
    'Sign in to Claude Code first: run `claude` in a terminal and type `/login` there, or set ANTHROPIC_API_KEY to a valid key.',
};
