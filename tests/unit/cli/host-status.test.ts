import { describe, expect, it } from 'vitest';
import { describeHost } from '../../../src/cli/host-status.js';
import type { HostStatus, WarmStatus } from '../../../src/host/messages.js';

const claude: WarmStatus = { backend: 'claude', cwd: '/work', processes: 1, turns: 0, idleMs: 4000 };

function status(turns: number, ...warm: readonly WarmStatus[]): HostStatus {
  return { type: 'status', pid: 7, build: '', ending: false, turns, uptimeMs: 0, idleMs: 0, warm };
}

describe('turnout host (18.7)', () => {
  it('has one row for all that looks alike', () => {
    const codex = { ...claude, backend: 'codex', model: 'gpt', turns: 1 };
    expect(describeHost(status(1, claude, codex, { ...claude, idleMs: 9000 }), 'status')).toBe(
      `The host runs as process 7; 1 turn runs.
  claude: 2 processes for 2 sets of options or environments, idle for 4 s, in /work
  codex gpt: 1 process, in use, in /work
`,
    );
    expect(describeHost(status(0), 'status')).toBe('The host runs as process 7; no turns run.\n');
  });

  it('says whether a host that was stopped has ended', () => {
    expect(describeHost(status(2, claude), 'stop')).toContain('ends after what is running now: 2 turns.');
    expect(describeHost(status(0, claude), 'stop')).toContain('has ended.');
  });
});
