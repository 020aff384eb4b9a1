export { ClaudeCodeBackend } from './backends/claude-backend.js';
export { CodexBackend } from './backends/codex-backend.js';
export { GeminiBackend } from './backends/gemini-backend.js';
export type {
  AddedContext,
  AgentHook,
  AgentHookEvent,
  AgentHookInput,
  AgentHooks,
  ToolDecision,
  ToolHook,
  ToolHookInput,
  ToolResultHookInput,
} from './backends/live/agent-hooks.js';
export { TurnStream } from './backends/live/turn-stream.js';
export type {
  LiveCapabilities,
  LiveContext,
  LiveEvent,
  LiveEvents,
  LiveProcess,
  LiveProtocol,
  LiveSession,
  LiveSessionOptions,
  PermissionAnswer,
} from './backends/live/types.js';
export type { TurnFacts, WireDecoder } from './backends/one-shot/decoder.js';
export type { Invocation } from './backends/one-shot/invocation.js';
export { OneShotBackend, type Turn, type Vendor } from './backends/one-shot/one-shot-backend.js';
export { OpenCodeBackend } from './backends/opencode-backend.js';
export { classifyFailure } from './backends/output/classify-failure.js';
export { unknownLine } from './backends/output/ending.js';
export { parseObject } from './backends/output/json.js';
export {
  type BackendEntry,
  type BackendName,
  backendNames,
  createBackend,
  registerBackend,
  resolveBackendName,
} from './backends/registry.js';
export type {
  BackendAdapter,
  BackendAdapterConfig,
  BackendCapabilities,
  BackendEventResult,
  CliBackend,
  RunOptions,
  RunRequest,
  SpawnedCommand,
  StreamCallback,
  TraceEntry,
} from './backends/types.js';
export type { Clocks, PoolLimits } from './config/limits.js';
export type { ChatEvent, ErrorCode, StepEvent, Usage } from './core/chat-event.js';
export { TurnoutError } from './core/errors.js';
export type { PermissionMode } from './core/permission-mode.js';
export type { TakenThinking, Thinking, ThinkingDepth } from './core/thinking.js';
export { type GatewayConfig, loadConfig } from './gateway/config.js';
export {
  describeExit,
  type ProcessExit,
  type RunningProcess,
  startProcess,
} from './process/start-process.js';
export { type CheckedOptions, checkOptions, describeSupport, type RunMode } from './runner/check-options.js';
export { createRunner } from './runner/create-runner.js';
export { completionMarker, MarkerScanner, markerLine } from './runner/marker.js';
export type { RunnerDefaults } from './runner/runner-config.js';
export { runnerNames } from './runner/runner-names.js';
export type {
  AgentRunner,
  Availability,
  CapabilityName,
  InteractiveResult,
  OnceResult,
  ProviderOptions,
  RunnerCapabilities,
  RunnerName,
  RunnerOptions,
  StreamingCallbacks,
  StreamingResult,
  StructuredResult,
  ToolOptions,
} from './runner/types.js';
export { openSession, Sessions } from './sessions/sessions.js';
export type { BackendSession, SendOptions, SessionOptions } from './sessions/types.js';
