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
  RunOptions,
  RunRequest,
  SpawnedCommand,
  StreamCallback,
} from './backends/types.js';
export type { Clocks, PoolLimits } from './config/limits.js';
export type { ChatEvent, ErrorCode, Usage } from './core/chat-event.js';
export { TurnoutError } from './core/errors.js';
export type { PermissionMode } from './core/permission-mode.js';
export { type GatewayConfig, loadConfig } from './gateway/config.js';
export { openSession, Sessions } from './sessions/sessions.js';
export type { BackendSession, SendOptions, SessionOptions } from './sessions/types.js';
