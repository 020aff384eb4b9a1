// The compiled product is measured, as its users run it: the loader for TypeScript names every function that is
// made, which slows a turn's way to events by a sixth.

export const { ClaudeCodeBackend } =
  await compiled<typeof import('../src/backends/claude-backend.js')>('backends/claude-backend');
export const { createBackend } =
  await compiled<typeof import('../src/backends/registry.js')>('backends/registry');
export const { Sessions } = await compiled<typeof import('../src/sessions/sessions.js')>('sessions/sessions');
export const { claudeLive, connect } = await compiled<
  typeof import('../src/backends/claude/live/protocol.js')
>('backends/claude/live/protocol');
export const { LiveBackendSession } =
  await compiled<typeof import('../src/sessions/live-session.js')>('sessions/live-session');
export const { TurnLocks } =
  await compiled<typeof import('../src/sessions/turn-lock.js')>('sessions/turn-lock');
export const { WarmPool } =
  await compiled<typeof import('../src/sessions/warm-pool.js')>('sessions/warm-pool');
export const { defaultClocks } = await compiled<typeof import('../src/config/limits.js')>('config/limits');
export const { ChildRun } =
  await compiled<typeof import('../src/process/running-process.js')>('process/running-process');
export const { startProcess } =
  await compiled<typeof import('../src/process/start-process.js')>('process/start-process');
export const { openDatabase } = await compiled<typeof import('../src/store/sqlite/open-database.js')>(
  'store/sqlite/open-database',
);
export const { openSqliteStore } =
  await compiled<typeof import('../src/store/sqlite/sqlite-store.js')>('store/sqlite/sqlite-store');
export const { backendConfig, loadConfig } =
  await compiled<typeof import('../src/gateway/config.js')>('gateway/config');
export const { Gateway } = await compiled<typeof import('../src/gateway/gateway.js')>('gateway/gateway');
export const { noLog } = await compiled<typeof import('../src/config/log.js')>('config/log');

/** `npm run bench` builds it first. */
async function compiled<T>(module: string): Promise<T> {
  return (await import(new URL(`../dist/${module}.js`, import.meta.url).href)) as T;
}
