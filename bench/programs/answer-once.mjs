#!/usr/bin/env node
// A CLI that answers at once: what is left is the cost of starting it and reading it.
process.stdout.write(
  `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'hello', session_id: '00000000-0000-4000-8000-000000000000' })}\n`,
);
