#!/usr/bin/env node
// This file stays tiny: a command's code is loaded only when that command runs. An old Node can't even load it, so that
// nothing may be imported here but what says so, and the table of what can be loaded.
import type { Command } from './command/command-page.js';
import { commands } from './commands.js';
import { tooOld } from './minimum-node.js';

const given = process.argv.slice(2);
// In a terminal a person who types nothing more wants to talk.
const talks = given.length === 0 && process.stdin.isTTY && process.stdout.isTTY;
const [command, ...rest] = talks ? ['chat'] : given;
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
  } else await refuse(topic);
} else if (process.platform === 'win32') {
  const { unsupportedSystem } = await import('../process/system.js');
  process.stderr.write(`turnout: ${unsupportedSystem()?.explanation}\n`);
  process.exitCode = 3;
} else {
  const load = find(command);
  if (load === undefined) await refuse(command);
  else {
    const { main } = await load();
    process.exitCode = await main(rest);
  }
}

function find(name: string | undefined): (() => Promise<Command>) | undefined {
  return name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
}

async function refuse(name: string): Promise<void> {
  const { unknownCommand } = await import('./command/unknown-command.js');
  process.stderr.write(`turnout: ${unknownCommand(name, Object.keys(commands))}\n`);
  process.exitCode = 2;
}
