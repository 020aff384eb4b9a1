import type { Command } from './command-page.js';

/** Every command. Its code is loaded only when it runs, or when somebody asks about it. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: () => import('./run.js'),
  agent: () => import('./agent.js'),
  chat: () => import('./chat.js'),
  doctor: () => import('./doctor.js'),
  capabilities: () => import('./capabilities.js'),
  chain: () => import('./chain.js'),
  demo: () => import('./demo.js'),
  gateway: () => import('./gateway.js'),
  history: () => import('./history.js'),
  pair: () => import('./pair.js'),
  usage: () => import('./usage-report.js'),
  why: () => import('./why.js'),
  service: () => import('./service.js'),
  completion: () => import('./completion.js'),
  version: () => import('./version-command.js'),
};
