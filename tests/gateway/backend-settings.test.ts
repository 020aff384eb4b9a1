import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { readRecording, stdoutOf } from '../contract/recordings.js';
import { type GatewayStage, setUpGateway } from './stage.js';

/** A gateway with all four CLIs on its PATH; each writes down its arguments, and answers what the real one answered. */
function withClis(settings: Record<string, string>) {
  const stage = setUpGateway({ BACKEND_CLI_PATH: '', ...settings });
  const bin = join(stage.root, 'bin');
  const path = `${bin}:${process.env['PATH']}`;
  mkdirSync(bin);
  for (const name of vendorNames) {
    writeFileSync(join(stage.root, `${name}.out`), stdoutOf(readRecording(name, 'answer')));
    writeProgram(stage, name, join(bin, name));
  }
  const run = async (more: Record<string, string> = {}) => {
    const client = await stage.start({ PATH: path, ...more });
    const event = await client.ask('a', 'hello');
    expect(event, JSON.stringify(event)).toMatchObject({ state: 'answered' });
    const [ran, ...others] = readdirSync(stage.root).filter((file) => file.endsWith('.argv'));
    expect(others).toEqual([]);
    const argv = readFileSync(join(stage.root, ran ?? ''), 'utf8').split('\0');
    return { ran: ran?.replace('.argv', ''), argv: argv.slice(0, -1) };
  };
  const warnings = () => stage.log.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { stage, run, warnings };
}

function writeProgram({ root }: GatewayStage, name: string, path: string, as = name): void {
  const script = `#!/bin/sh
[ "$1" = --version ] && { echo 1.0.0; exit; }
printf '%s\\0' "$@" > '${root}/${as}.argv'
cat > /dev/null
cat '${root}/${name}.out'
`;
  writeFileSync(path, script, { mode: 0o755 });
}

/** The words that stand behind each occurrence of a flag. */
function valuesOf(argv: readonly string[], flag: string): readonly (string | undefined)[] {
  return argv.flatMap((word, at) => (word === flag ? [argv[at + 1]] : []));
}

describe('the CLI that a gateway runs', () => {
  it.each(vendorNames)('is that of AGENT_BACKEND: %s (R6.1, R6.2)', async (name) => {
    expect((await withClis({ AGENT_BACKEND: name }).run()).ran).toBe(name);
  });

  it('is Claude where nothing is set, whatever else is signed in (R6.3, O14)', async () => {
    const { run } = withClis({ GEMINI_API_KEY: 'a-key', CODEX_API_KEY: 'a-key' });
    expect((await run()).ran).toBe('claude');
  });

  it('is the program of BACKEND_CLI_PATH (R6.4)', async () => {
    const { stage, run } = withClis({ AGENT_BACKEND: 'codex' });
    const own = join(stage.root, 'my-codex');
    writeProgram(stage, 'codex', own, 'my-codex');
    expect((await run({ BACKEND_CLI_PATH: own })).ran).toBe('my-codex');
  });

  it.each(vendorNames)('%s gets the model of BACKEND_MODEL (R7.1)', async (name) => {
    const model = name === 'opencode' ? 'vendor/model-x' : 'model-x';
    const { argv } = await withClis({ AGENT_BACKEND: name, BACKEND_MODEL: model }).run();
    expect(valuesOf(argv, '--model')).toEqual([model]);
    expect(valuesOf((await withClis({ AGENT_BACKEND: name }).run()).argv, '--model')).toEqual([]);
  });

  it.each([
    [undefined, '25', []],
    ['7', '7', []],
    ['many', '25', [expect.stringContaining('BACKEND_MAX_TURNS="many" is not a whole number')]],
    ['-1', '25', [expect.stringContaining('BACKEND_MAX_TURNS="-1" is not a whole number')]],
  ])('with BACKEND_MAX_TURNS=%s Claude gets the limit %s (R7.2, R2.6)', async (set, limit, warned) => {
    const { run, warnings } = withClis(set === undefined ? {} : { BACKEND_MAX_TURNS: set });
    expect(valuesOf((await run()).argv, '--max-turns')).toEqual([limit]);
    expect(warnings().filter((message) => String(message).includes('BACKEND_MAX_TURNS'))).toEqual(warned);
  });
});

describe('Claude in a gateway with ALLOWED_TOOLS', () => {
  it('gets every flag that it always had, with plain names of tools (R7.4, R2.2, R2.5, O14)', async () => {
    const { run, warnings } = withClis({ ALLOWED_TOOLS: 'Read, Edit' });
    const { argv } = await run();
    expect(argv).toEqual(
      expect.arrayContaining(['-p', '--output-format', '--dangerously-skip-permissions', '--max-turns']),
    );
    expect(valuesOf(argv, '--append-system-prompt-file')).toEqual([expect.stringMatching(/^\//)]);
    expect(valuesOf(argv, '--allowedTools')).toEqual(['Read', 'Edit']);
    expect(valuesOf(argv, '--tools')).toEqual(['Read,Edit']);
    expect(warnings().join('\n')).not.toContain('ALLOWED_TOOLS');
  });

  it('runs in another permission mode with rules, which the log says once at the start (R7.4, O14)', async () => {
    const { run, warnings } = withClis({ ALLOWED_TOOLS: 'Read,Bash(git:*)' });
    const { argv } = await run();
    expect(valuesOf(argv, '--allowedTools')).toEqual(['Read', 'Bash(git:*)']);
    expect(argv).not.toContain('--dangerously-skip-permissions');
    expect(valuesOf(argv, '--permission-mode')).toEqual(['default']);
    expect(warnings().filter((message) => String(message).includes('ALLOWED_TOOLS'))).toEqual([
      'ALLOWED_TOOLS has rules for single calls (Bash(git:*)): Claude runs with --permission-mode default in place of --dangerously-skip-permissions, and denies what they do not allow.',
    ]);
  });
});
