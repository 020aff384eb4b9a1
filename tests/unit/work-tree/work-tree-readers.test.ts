import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findReads, readsOf } from './find-reads.js';

/**
 * Every place in a gateway that looks at files or starts a program which does, and what it looks at. A work tree is read by `WorkTreeFiles`,
 * or by a program that is started as AGENT_USER: what isn't belongs in here only if it is no file of a work tree.
 */
const places: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'The one that opens files of a work tree, and its child.': {
    'process/work-tree-files.ts': 'spawn',
    'process/work-tree/open-below.ts': 'access lstat×4 open readdir readlink realpath stat',
  },
  'Started as AGENT_USER: the program reads with that user’s rights.': {
    'gateway/changes/find-repositories.ts': 'execFile',
    'gateway/changes/put-back.ts': 'execFile',
    'gateway/check-agent-user.ts': 'spawnSync',
    'process/start-process.ts': 'openSync spawn',
  },
  'Git, which reads the work tree as AGENT_USER (`reader`); else files of TURNOUT_HOME, and whether there is a `.git` around, and whose.':
    {
      'gateway/changes/shadow.ts': 'existsSync×4 lstatSync×2 runGit',
    },
  'Where a directory really is, and whether there is one: nothing that it holds.': {
    'backends/claude/last-demo-session.ts': 'realpath',
    'backends/codex/live/process.ts': 'stat',
    'gateway/changes/real-path.ts': 'realpathSync',
    'gateway/changes/snapshots.ts': 'realPath×5',
    'gateway/changes/work-tree-changes.ts': 'realPath',
    'gateway/channels/discord/deliver/read-attached.ts': 'realpath',
    'gateway/check-start.ts': 'stat×2',
    'runner/check-values.ts': 'stat',
  },
  'Decides something, and shows nothing of what it found: whether Codex has plugins, whether a patch stays in the work tree.':
    {
      'backends/codex/arguments.ts': 'readFileSync',
      'backends/codex/live/permissions.ts': 'realpathSync',
    },
  'Not done for an AGENT_USER.': {
    'backends/gemini/chat-records.ts': 'existsSync×2 readFile×2 readdir×2',
    'backends/gemini/prompt.ts': 'existsSync',
  },
  'TURNOUT_HOME, which is closed to agents.': {
    'backends/launch/checked-versions.ts': 'open readFileSync statSync',
    'gateway/address-file.ts': 'readFile',
    'gateway/archive/apply-retention.ts': 'readdir',
    'gateway/archive/open-archive.ts': 'access existsSync',
    'gateway/archive/write-day.ts': 'open',
    'gateway/changes/take-snapshot.ts': 'copyFile',
    'gateway/changes/tidy-shadows.ts': 'existsSync lstat×2 readFile×2 readdir×6 stat×3',
    'gateway/channels/http/http-token.ts': 'open readFile×2 stat×2',
    'gateway/home-lock.ts': 'realpathSync',
    'gateway/turns/turn-outputs.ts': 'access existsSync open readdir stat',
    'process/mark-child.ts': 'realpathSync',
    'store/ballast.ts': 'existsSync open stat',
    'store/instance-lock.ts': 'existsSync×2 openSync readFile',
    'store/known-file.ts': 'statSync×2',
    'store/sqlite/file-guard.ts': 'openSync×2',
    'store/sqlite/open-database.ts': 'existsSync openSync',
  },
  'What the operator has named or written: CONFIG_DIR, settings, files for the CLIs; and, tried as AGENT_USER, whether agents could write there.':
    {
      'backends/claude/live/protocol.ts': 'statSync',
      'backends/claude/settings.ts': 'readJsonFile',
      'backends/launch/mcp-config.ts': 'readFile readFileSync',
      'backends/opencode/live/protocol.ts': 'statSync',
      'config/edit-config-file.ts': 'openSync realpathSync statSync×2',
      'config/file-owner.ts': 'readFileSync statSync',
      'config/file-warnings.ts': 'statSync',
      'config/read-text-file.ts': 'open',
      'config/redact.ts': 'existsSync',
      'config/secrets.ts': 'readFileSync',
      'config/short-lock.ts': 'openSync statSync',
      'config/trusted-file.ts': 'openSync readFileSync readdirSync realpathSync×2 statSync',
      'gateway/check-layout.ts': 'execFile existsSync readdir realpathSync',
      'gateway/gateway.ts': 'existsSync',
      'gateway/hooks/check-programs.ts': 'access',
      'gateway/hooks/read-hooks.ts': 'readTextFile readdir',
      'gateway/persona/markdown-config-loader.ts': 'lstat readTextFile readdir',
      'gateway/schedule/read-schedules.ts': 'readTextFile',
      'gateway/schedule/watched-schedules.ts': 'stat',
      'runner/check-files.ts': 'readJsonFile×2',
    },
  'Programs that are about to be started, and what is part of Turnout.': {
    'backends/codex/native-binary.ts': 'existsSync×2 realpathSync',
    'backends/launch/cli-version.ts': 'openSync realpathSync',
    'gateway/channels/http/load-page.ts': 'readFile readdir',
    'process/explain-spawn-failure.ts': 'access open stat',
    'process/find-executable.ts': 'accessSync statSync',
    'process/run-in-terminal.ts': 'spawn',
    'runner/codex-sdk/load-sdk.ts': 'readFile',
  },
  'The system: /proc, cgroups, users, terminals.': {
    'backends/opencode/live/shells.ts': 'readlinkSync',
    'gateway/channels/http/connection-limit.ts': 'readFileSync',
    'process/cgroup.ts': 'readFileSync×2 readdirSync',
    'process/job-control.ts': 'spawnSync',
    'process/measure-memory.ts': 'readFile',
    'process/process-user.ts': 'existsSync readFileSync spawnSync',
    'process/read-proc.ts': 'openSync readdirSync readlinkSync statSync',
    'process/read-ps.ts': 'execFile execFileSync',
    'process/system.ts': 'statSync',
    'process/terminal-modes.ts': 'existsSync spawnSync',
  },
  'Files that we made for a run.': {
    'backends/launch/private-directory.ts': 'lstatSync',
    'backends/launch/scratch-files.ts':
      'accessSync execFile lstatSync×2 openSync readdir readdirSync spawnSync',
    'process/tail-file.ts': 'open',
  },
  'Files of messages on Discord, in a directory of ours: how large one is, never what it holds.': {
    'gateway/channels/discord/receive/attachments.ts': 'lstat×2',
    'gateway/channels/discord/receive/download.ts': 'open',
    'gateway/channels/discord/receive/remove-old-attachments.ts': 'lstat readdir',
  },
  'Whether a CLI is signed in: never the key.': {
    'backends/claude/credentials.ts': 'readObject×3',
    'backends/codex/credentials.ts': 'readObject',
    'backends/gemini/credentials.ts': 'readObject×2',
    'backends/launch/credentials.ts': 'readSmallFile×2',
    'backends/opencode/credentials.ts': 'readObject×2',
  },
  'The CLIs’ own records of sessions: no link of the agent’s leads to files of others.': {
    'backends/claude/session-record.ts': 'realpath stat',
    'backends/opencode-backend.ts': 'existsSync',
    'backends/opencode/session-directory.ts': 'realpathSync statSync',
    'backends/record/last-session.ts': 'realpath stat',
    'backends/record/list-sessions.ts': 'lstat',
    'backends/record/read-records.ts': 'readdir×2 stat×2',
    'backends/record/open-record.ts': 'lstat open readlink×2',
  },
  'Gemini’s log of its own retries.': {
    'backends/gemini/live/retries.ts': 'lstatSync open',
  },
  'Opens what it is given: each caller is listed.': {
    'backends/launch/read-json-file.ts': 'open',
    'core/make-directory.ts': 'statSync',
    'process/run-git.ts': 'execFile',
  },
};

describe('a work tree', () => {
  it('is read in one place: a new one reads through WorkTreeFiles, or says here what it reads (27.11)', () => {
    const listed = Object.values(places).flatMap((files) => Object.entries(files));
    const found = findReads(fileURLToPath(new URL('../../../src', import.meta.url)));
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
  });

  it('is read by nothing that the list misses, whatever it is called (27.11)', () => {
    for (const [code, reads] of [
      [`import { readFile as look } from 'node:fs/promises'; await look(path);`, ['readFile']],
      [
        `import { lstat, stat } from 'node:fs/promises'; await (links ? stat : lstat)(path);`,
        ['lstat', 'stat'],
      ],
      [`import * as fs from 'node:fs'; fs.readFileSync(path);`, ['fs']],
      [`import fs from 'node:fs'; const { open } = fs;`, ['fs']],
      [`const fs = await import('node:fs');`, ['import']],
      [`import { spawn } from 'node:child_process'; spawn('cat', [path]);`, ['spawn']],
      [`import { runGit } from '../../process/run-git.js'; void runGit({ cwd });`, ['runGit']],
      [
        `import { readTextFile } from '../config/read-text-file.js'; void readTextFile(path, 1);`,
        ['readTextFile'],
      ],
      [
        `import { type FileHandle, rm } from 'node:fs/promises'; await rm(path); declare const f: FileHandle;`,
        [],
      ],
      [`import { open } from 'node:fs/promises'; session.open(); const one = { open: 1 };`, []],
    ] as const)
      expect([code, readsOf(code)]).toEqual([code, reads]);
  });
});
