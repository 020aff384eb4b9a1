import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { backendEntry, backendNames } from '../../backends/registry.js';
import { readTextFile } from '../../config/read-text-file.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { agentNamed } from '../../orchestra/agents/agent-named.js';
import { agentNameExpected, isAgentName } from '../../orchestra/agents/definition.js';
import { findAgents } from '../../orchestra/agents/find-agents.js';
import { turnoutProgram } from '../built-files.js';
import { readFlags, wrongUsage } from '../command/read-flags.js';
import { say, writeShown } from '../output/say.js';
import { agentInstallFlags } from './agent-flags.js';
import { agentPlace } from './agent-place.js';
import { isInstalledAgent, printInstalledAgent } from './installed-agent.js';

/** `turnout agent install <name> --to <dir>`: writes the program that is the agent. */
export async function installAgent(argv: readonly string[]): Promise<number | 'help'> {
  const given = readFlags(argv, agentInstallFlags, { command: 'agent' });
  if (given.has('help')) return 'help';
  const [name, ...more] = given.positionals;
  const to = given.text('to')?.trim();
  if (name === undefined || more.length > 0)
    throw wrongUsage('agent', `one agent is expected, got ${given.positionals.length}`);
  if (to === undefined || to === '')
    throw wrongUsage('agent', '--to is missing: the directory for the program, such as ~/.local/bin');
  const place = await agentPlace(given.text('cwd'));
  const found = await findAgents(place);
  const agent = agentNamed(found, name);
  checkName(name);
  const directory = resolve(to);
  const path = join(directory, name);
  await checkTarget(path, given.has('force'));
  const { warnings = [], ...kept } = agent;
  for (const warning of warnings) say(warning);
  const source = resolve(place, agent.source);
  write(
    directory,
    path,
    printInstalledAgent({ ...kept, source }, { node: process.execPath, turnout: turnoutProgram }),
  );
  writeShown(process.stdout, `${path}\n`);
  if (!(process.env['PATH'] ?? '').split(delimiter).includes(directory))
    say(`${directory} is not on PATH: call the agent by its path, or add it.`);
  return exitCodes.done;
}

/** A program that is called like a CLI would be found in the place of that CLI, and start itself without end. */
function checkName(name: string): void {
  const taken = ['turnout', ...backendNames().map((backend) => backendEntry(backend).command)];
  if (isAgentName(name) && !taken.includes(name)) return;
  const why = taken.includes(name) ? 'Turnout would find it in the place of the real one' : agentNameExpected;
  throw new TurnoutError('bad_request', `${JSON.stringify(name)} can't be the name of a program: ${why}.`, {
    hint: 'Give the agent another name.',
  });
}

const longestAgent = 4 * 1024 * 1024;

/** An agent that was installed is written anew; whatever else is there may be somebody's work. */
async function checkTarget(path: string, force: boolean): Promise<void> {
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === false)
    throw new TurnoutError('bad_request', `${dirname(path)} is no directory.`, {
      hint: 'Name a directory with --to.',
    });
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return;
  if (!facts.isFile()) throw new TurnoutError('bad_request', `${path} is there, and is no file.`);
  if (force) return;
  const read = await readTextFile(path, longestAgent);
  if (read.type === 'missing' || (read.type === 'file' && isInstalledAgent(read.file.text))) return;
  throw new TurnoutError('bad_request', `${path} is there, and is not an agent that Turnout has installed.`, {
    hint: 'Add --force to replace it, or choose another directory.',
  });
}

/** Whoever runs the program meanwhile finds the old one or the new one, never half of one. */
function write(directory: string, path: string, content: string): void {
  const temporary = join(directory, `.turnout-${randomBytes(6).toString('hex')}`);
  try {
    // Only the last part of the path is made: a misspelt path stays a mistake.
    if (!existsSync(directory)) mkdirSync(directory);
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o755, flush: true });
    chmodSync(temporary, 0o755);
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new TurnoutError('bad_request', `${path} can't be written: ${(cause as Error).message}`, {
      hint: 'Choose another directory with --to.',
      cause,
    });
  }
}
