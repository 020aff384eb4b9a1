#!/usr/bin/env node
// This file stays tiny: a command's code is loaded only when that command runs. An old Node can't even load it, so that
// nothing may be imported here but what says so, and the table of what can be loaded.
import type { Command } from './command/command-page.js';
import { commands } from './commands.js';
import { tooOld } from './minimum-node.js';

const given = process.argv.slice(2);
const inTerminal = process.stdin.isTTY && process.stdout.isTTY;
// In a terminal a person who types nothing more wants to talk.
const [command, ...rest] = given.length === 0 && inTerminal ? ['chat'] : given;
const refusal = tooOld(process.versions.node);

if (refusal !== undefined) {
  process.stderr.write(`turnout: ${refusal}\n`);
  process.exitCode = 1;
} else if (command === '--version' || command === '-V' || command === '-v') {
  const { main } = await import('./version-command.js');
  process.exitCode = await main(rest);
} else if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
  const [topic = 'help'] = rest;
  const load = find(topic);
  if (load !== undefined) {
    const { printHelp } = await import('./command/print.js');
    process.exitCode = await printHelp((await load()).page);
  } else if (topic === 'help' || topic.startsWith('-')) {
    const { print } = await import('./command/print.js');
    const { overview } = await import('./usage.js');
    process.exitCode = await print(overview, command === undefined ? 2 : 0);
  } else await refuse([topic]);
} else if (process.platform === 'win32') {
  const { unsupportedSystem } = await import('../process/system.js');
  process.stderr.write(`turnout: ${unsupportedSystem()?.explanation}\n`);
  process.exitCode = 3;
} else if (isNowhere()) {
  process.stderr.write('turnout: The current directory was removed. Go to one that is there.\n');
  process.exitCode = 2;
} else {
  const load = find(command);
  if (load === undefined) await runMeant();
  else {
    const { main } = await load();
    process.exitCode = await main(rest);
  }
}

/** A shell stays in a directory that somebody has removed. */
function isNowhere(): boolean {
  try {
    process.cwd();
    return false;
  } catch {
    return true;
  }
}

/** A line that begins with an option or a prompt. */
async function runMeant(): Promise<void> {
  const { meantCommand } = await import('./command/meant-command.js');
  const meant = meantCommand(given, inTerminal);
  const load = find(meant?.name);
  if (meant === undefined || load === undefined) return refuse(given);
  const { main } = await load();
  process.exitCode = await main(meant.argv);
}

function find(name: string | undefined): (() => Promise<Command>) | undefined {
  return name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
}

async function refuse(words: readonly string[]): Promise<void> {
  const { unknownWords } = await import('./command/meant-command.js');
  const { say } = await import('./output/say.js');
  say(unknownWords(words, Object.keys(commands)));
  process.exitCode = 2;
}
