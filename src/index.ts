export { ClaudeCodeBackend } from './backends/claude-backend.js';
export { CodexBackend } from './backends/codex-backend.js';
export { GeminiBackend } from './backends/gemini-backend.js';
export { OpenCodeBackend } from './backends/opencode-backend.js';
export { type BackendName, backendNames, createBackend, resolveBackendName } from './backends/registry.js';
export type {
  BackendAdapter,
  BackendAdapterConfig,
  BackendCapabilities,
  BackendEventResult,
  PermissionMode,
  RunOptions,
  RunRequest,
  SpawnedCommand,
  StreamCallback,
} from './backends/types.js';
export type { ChatEvent, ErrorCode, Usage } from './core/chat-event.js';
export { TurnoutError } from './core/errors.js';
export { type GatewayConfig, loadConfig } from './gateway/config.js';
export { openSession, Sessions } from './sessions/sessions.js';
export type { BackendSession, Clocks, SendOptions, SessionOptions } from './sessions/types.js';
export type { PoolLimits } from './sessions/warm-pool.js';
