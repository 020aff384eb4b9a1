/** Prompts of the demo agent that show something, for people who don't know it yet. `help` in a conversation lists all. */
export const suggestedPrompts: readonly (readonly [prompt: string, about: string])[] = [
  ['show me around', 'a tour: text, thinking, tools, a to-do list, an edit that asks first'],
  ['say exactly: **anything**', 'repeats a text to the character'],
  ['count to 100 slowly', 'streams; stop it, or write something meanwhile'],
  ['think about railways', 'thinks aloud before it answers'],
  ['read README.md', 'uses a tool that needs no permission'],
  ['write a note: buy milk', 'uses one that does'],
  ['read nothing.txt', 'a tool that fails'],
  ['run npm test', 'declines: it runs no commands'],
  ['run a tool for 5 seconds', 'a tool that takes its time'],
  ['fail with 429', 'an error of the API, with retries'],
  ['crash', 'the agent dies in the middle of a sentence'],
  ['help', 'everything that it understands'],
];
