import type { Command } from './command/command-page.js';
import { loadRun } from './run/load-run.js';

/** Every command. Its code is loaded only when it runs, or when somebody asks about it. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: loadRun,
  agent: () => import('./agent/agent.js'),
  init: () => import('./first-run/init.js'),
  config: () => import('./config/config.js'),
  sessions: () => import('./sessions/sessions.js'),
  chat: () => import('./chat/chat.js'),
  doctor: () => import('./doctor/doctor.js'),
  host: () => import('./host.js'),
  capabilities: () => import('./run/capabilities.js'),
  chain: () => import('./chain/chain.js'),
  demo: () => import('./demo/demo.js'),
  gateway: () => import('./gateway/gateway.js'),
  send: () => import('./client/send.js'),
  tail: () => import('./client/tail.js'),
  status: () => import('./client/status.js'),
  permissions: () => import('./client/permissions.js'),
  schedule: () => import('./client/schedule.js'),
  history: () => import('./archive/history.js'),
  pair: () => import('./archive/pair.js'),
  usage: () => import('./archive/usage-report.js'),
  why: () => import('./archive/why.js'),
  service: () => import('./gateway/service.js'),
  completion: () => import('./completion/completion.js'),
  version: () => import('./version-command.js'),
};
