import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from './stage.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

// A supervisor, or anybody's test, starts a child and ends a child. npm does it through a shell.
it.each(['SIGTERM', 'SIGINT'] as const)(
  'npm start: %s reaches the gateway, and npm waits for it',
  async (signal) => {
    const home = mkdtempSync(join(tmpdir(), 'turnout-npm-start-'));
    const child = spawn('npm', ['start', '--', '--demo', '--home', join(home, 'data')], {
      cwd: root,
      env: {
        PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
        HOME: home,
        HTTP_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    onTestFinished(() => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // All of it has gone by itself.
      }
      rmSync(home, { recursive: true, force: true });
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const exit = once(child, 'exit');
    await eventually(() => out.includes('http://') || child.exitCode !== null);
    const url = /http:\/\/\S+/.exec(out)?.[0];
    expect(url, err).toBeDefined();
    child.kill(signal);
    await exit;
    expect(err).toContain('gateway stopped');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  },
);
