#!/usr/bin/env node
// This file stays tiny: a command's code is loaded only when that command runs. An old Node can't even load it, so that
// nothing may be imported here but what says so, and what imports nothing itself.
import type { Command } from './command.js';
import { loadRun } from './load-run.js';
import { tooOld } from './minimum-node.js';

const commands: Record<string, () => Promise<Command>> = {
  run: loadRun,
  agent: () => import('./agent.js'),
  chat: () => import('./chat.js'),
  doctor: () => import('./doctor.js'),
  capabilities: () => import('./capabilities.js'),
  chain: () => import('./chain.js'),
  demo: () => import('./demo.js'),
  gateway: () => import('./gateway.js'),
  host: () => import('./host.js'),
  history: () => import('./history.js'),
  pair: () => import('./pair.js'),
  usage: () => import('./usage-report.js'),
  why: () => import('./why.js'),
  service: () => import('./service.js'),
};

const [command, ...rest] = process.argv.slice(2);
const refusal = tooOld(process.versions.node);

if (refusal !== undefined) {
  process.stderr.write(`turnout: ${refusal}\n`);
  process.exitCode = 1;
} else if (command === '--version' || command === '-V' || command === '-v') {
  const { version } = await import('./version.js');
  process.stdout.write(`${version()}\n`);
} else if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
  const [topic = 'help'] = rest;
  const load = find(topic);
  if (load !== undefined) process.stdout.write((await load()).usageText);
  else if (topic === 'help' || topic.startsWith('-')) {
    const { overview } = await import('./usage.js');
    process.stdout.write(overview);
    if (command === undefined) process.exitCode = 2;
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
  const { unknownCommand } = await import('./unknown-command.js');
  process.stderr.write(`turnout: ${unknownCommand(name, Object.keys(commands))}\n`);
  process.exitCode = 2;
}
