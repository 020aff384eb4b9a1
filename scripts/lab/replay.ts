import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBackend } from '../../src/backends/registry.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import { type Recording, requestOf } from '../record.js';

/** The events that Turnout makes of a recording: a program prints it again, and the backend reads it. */
export async function replay(recording: Recording): Promise<readonly ChatEvent[]> {
  const directory = mkdtempSync(join(tmpdir(), 'turnout-replay-'));
  try {
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    file('stdout', recording.stdout.map((line) => `${line}\n`).join(''));
    file('stderr', recording.stderr);
    const ending =
      recording.exit.signal === null
        ? `exit ${recording.exit.code}`
        : `kill -s ${recording.exit.signal.slice(3)} $$`;
    const program = file(
      'cli',
      `#!/bin/sh\ncat > /dev/null\ncat '${directory}/stdout'\ncat '${directory}/stderr' >&2\n${ending}\n`,
    );
    chmodSync(program, 0o755);
    const backend = createBackend(recording.cli, {
      cliPath: program,
      workingDir: directory,
      queryTimeoutMs: 30_000,
      allowedTools: [],
      maxTurns: 25,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: directory,
        TURNOUT_HOME: join(directory, '.turnout'),
      },
    });
    const events: ChatEvent[] = [];
    for await (const event of backend.run(requestOf(recording))) events.push(event);
    return events;
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
