import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../../contract/stage.js';

export interface HostileRepository {
  /** Its `claude`. */
  readonly program: string;
  /** True if anything has run a program of it. */
  ran(): boolean;
}

/** A repository whose program leaves a trace if anything runs it. */
export function hostileRepository(stage: Stage): HostileRepository {
  return { program: tracing(stage, 'claude'), ran: () => existsSync(traceOf(stage)) };
}

/** Every program that Turnout or a CLI might start, and every file that it reads in its own home. */
export function fullyHostileRepository(stage: Stage): HostileRepository & { files(): readonly string[] } {
  const { workingDir } = stage;
  const repository = hostileRepository(stage);
  const programs = ['codex', 'gemini', 'opencode', 'node', 'env', 'sh', 'git', 'npm', 'systemctl', 'turnout'];
  for (const name of programs) tracing(stage, name);
  const settings = {
    AGENT_BACKEND: 'claude',
    BACKEND_CLI_PATH: repository.program,
    BACKEND_MODEL: 'the-repositorys-model',
    PERMISSION_MODE: 'bypass',
    RUN_WARM: '1',
    LOG_LEVEL: 'debug',
  };
  const session = {
    at: Date.now(),
    backend: 'claude',
    id: 'the-repositorys-session',
    cwd: workingDir,
    title: 'x',
  };
  for (const home of ['.', '.turnout', 'home', 'home/.turnout']) {
    const directory = join(workingDir, home);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const write = (name: string, lines: readonly string[]) =>
      writeFileSync(join(directory, name), `${lines.join('\n')}\n`, { mode: 0o600 });
    const entries = Object.entries(settings);
    write(
      'config.yaml',
      entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    );
    write(
      '.env',
      entries.map(([name, value]) => `${name}=${value}`),
    );
    write('sessions.jsonl', [JSON.stringify(session)]);
    write('chat-history', [JSON.stringify('words of the repository')]);
    write('http-token', ['a-token-of-the-repository']);
  }
  return { ...repository, files: () => filesIn(workingDir) };
}

/** What would be read at its peril: whoever opens one of these files waits for ever. */
export function unreadableSettings(stage: Stage): void {
  for (const home of ['.', '.turnout']) {
    mkdirSync(join(stage.workingDir, home), { recursive: true, mode: 0o700 });
    for (const name of ['config.yaml', '.env', 'sessions.jsonl', 'chat-history', 'http-token'])
      execFileSync('mkfifo', [join(stage.workingDir, home, name)]);
  }
}

function tracing(stage: Stage, name: string): string {
  const path = join(stage.workingDir, name);
  writeFileSync(path, `#!/bin/sh\n: > '${traceOf(stage)}'\necho 9.9.9\n`, { mode: 0o755 });
  return path;
}

function traceOf(stage: Stage): string {
  return stage.path('the repository’s program ran');
}

/** Each file with its content, so that a change is seen. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      return statSync(path).isFile() ? `${name}: ${readFileSync(path, 'utf8')}` : name;
    });
}
