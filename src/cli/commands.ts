import type { Command } from './command-page.js';
import { loadRun } from './load-run.js';

/** Every command. Its code is loaded only when it runs, or when somebody asks about it. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: loadRun,
  agent: () => import('./agent.js'),
  init: () => import('./init.js'),
  config: () => import('./config.js'),
  sessions: () => import('./sessions.js'),
  chat: () => import('./chat.js'),
  doctor: () => import('./doctor.js'),
  host: () => import('./host.js'),
  capabilities: () => import('./capabilities.js'),
  chain: () => import('./chain.js'),
  demo: () => import('./demo.js'),
  gateway: () => import('./gateway.js'),
  send: () => import('./send.js'),
  tail: () => import('./tail.js'),
  status: () => import('./status.js'),
  permissions: () => import('./permissions.js'),
  schedule: () => import('./schedule.js'),
  history: () => import('./history.js'),
  pair: () => import('./pair.js'),
  usage: () => import('./usage-report.js'),
  why: () => import('./why.js'),
  service: () => import('./service.js'),
  completion: () => import('./completion.js'),
  version: () => import('./version-command.js'),
};
