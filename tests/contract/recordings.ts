import { readdirSync, readFileSync } from 'node:fs';
import type { AnyBackendName } from '../../src/backends/names.js';

/**
 * The output of a real CLI in one scenario against the scripted model; `older-…` is written by hand from its
 * history.
 */
export interface Recording<Cli extends AnyBackendName = AnyBackendName> {
  readonly cli: Cli;
  readonly version: string;
  readonly scenario: string;
  readonly format: 'plain' | 'stream';
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  readonly stdout: readonly string[];
  readonly stderr: string;
}

const root = new URL('../fixtures/recordings/', import.meta.url);

export function readRecordings<Cli extends AnyBackendName>(cli: Cli): readonly Recording<Cli>[] {
  const names = readdirSync(new URL(`${cli}/`, root)).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => readRecording(cli, name.replace(/\.json$/, '')));
}

export function readRecording<Cli extends AnyBackendName>(cli: Cli, scenario: string): Recording<Cli> {
  return JSON.parse(readFileSync(new URL(`${cli}/${scenario}.json`, root), 'utf8'));
}

export function stdoutOf(recording: Recording): string {
  return recording.stdout.map((line) => `${line}\n`).join('');
}

/** Finds the id as a person would, without any decoder. */
export function sessionIdIn(recording: Recording): string | undefined {
  return /"(?:session_id|thread_id|sessionID|sessionId)":\s*"([^"]+)"/.exec(stdoutOf(recording))?.[1];
}
