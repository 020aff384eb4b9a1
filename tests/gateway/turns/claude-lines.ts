/** Lines of Claude Code's stream-json output, as an agent of these tests prints them. */
export const claudeLines = {
  init: line({ type: 'system', subtype: 'init', session_id: 's1', model: 'm' }),
  /** `input` is JSON text, so that it may be nested deeper than JSON.stringify can go. */
  tool: (input: string, id = 't1') =>
    `{"type":"assistant","session_id":"s1","message":{"content":[{"type":"tool_use","id":"${id}","name":"Bash","input":${input}}]}}\n`,
  toolResult: (id = 't1') =>
    line({
      type: 'user',
      session_id: 's1',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
    }),
  answer: (text: string) =>
    line({ type: 'assistant', session_id: 's1', message: { content: [{ type: 'text', text }] } }) +
    line({ type: 'result', subtype: 'success', is_error: false, session_id: 's1', result: text }),
};

/** 4,200 levels in 25 KB: `JSON.parse` takes it, `JSON.stringify` runs out of stack. */
export const deepInput = `${'{"a":'.repeat(4200)}1${'}'.repeat(4200)}`;

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
