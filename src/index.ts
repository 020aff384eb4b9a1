export { ClaudeCodeBackend } from './backends/claude-backend.js';
export { CodexBackend } from './backends/codex-backend.js';
export { GeminiBackend } from './backends/gemini-backend.js';
export type { FoundCredentials } from './backends/launch/credentials.js';
export type {
  InteractiveCapabilities,
  InteractiveCommand,
  InteractiveContext,
  InteractiveOptions,
  InteractiveUi,
} from './backends/launch/interactive.js';
export type { LocalServer, McpServer, RemoteServer } from './backends/launch/mcp-config.js';
export type { ScratchFile } from './backends/launch/scratch-files.js';
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
export { TurnStream, type TurnStreamOptions } from './backends/live/turn-stream.js';
export type {
  DescribedContext,
  LiveCapabilities,
  LiveCommand,
  LiveContext,
  LiveEvent,
  LiveEvents,
  LiveProcess,
  LiveProtocol,
  LiveSession,
  LiveSessionOptions,
  PermissionAnswer,
  TurnEnding,
} from './backends/live/types.js';
export type { VendorName } from './backends/names.js';
export type { Step as DecoderStep, TurnFacts, WireDecoder } from './backends/one-shot/decoder.js';
export type { Invocation } from './backends/one-shot/invocation.js';
export { OneShotBackend, type Turn, type Vendor } from './backends/one-shot/one-shot-backend.js';
export type { TurnLimits } from './backends/one-shot/turn-limits.js';
export { OpenCodeBackend } from './backends/opencode-backend.js';
export type { Advice as FailureAdvice } from './backends/output/advice.js';
export { classifyFailure } from './backends/output/classify-failure.js';
export { type Ending as DecodedEnding, unknownLine } from './backends/output/ending.js';
export { type JsonObject, parseObject } from './backends/output/json.js';
export type {
  Exchange,
  ListedSession,
  RecordedTool,
  RecordedTools,
  RecordQuery,
} from './backends/record/types.js';
export {
  type AnyBackendName,
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
  BackendConfig,
  BackendEventResult,
  CliBackend,
  CompleteTurnOptions,
  EventBackend,
  EventResult,
  ExecuteOptions,
  LocatedCli,
  RunOptions,
  RunRequest,
  SpawnedCommand,
  StreamCallback,
  TracedStep,
  TraceEntry,
  TurnOptions,
} from './backends/types.js';
export type { Environment } from './config/home-directory.js';
export type { Clocks, PoolLimits } from './config/limits.js';
export type { LogFormat, LogLevel } from './config/log.js';
export type { SettingOrigins } from './config/setting-origins.js';
export type { QueueMode } from './config/settings.js';
export type { SettingUser } from './config/used-settings.js';
export type {
  ChatEvent,
  CompleteEvent,
  ErrorCode,
  ErrorEvent,
  NoticeEvent,
  NoticeLevel,
  PermissionDecision,
  PermissionRequestEvent,
  PermissionResolvedEvent,
  Retry as AnnouncedRetry,
  SessionEvent,
  StepEvent,
  StopReason,
  TerminalEvent,
  TextEvent,
  ThinkingEndEvent,
  ThinkingEvent,
  ThinkingStartEvent,
  ToolEndEvent,
  ToolStartEvent,
  Usage,
  UsageEvent,
} from './core/chat-event.js';
export { TurnoutError } from './core/errors.js';
export type { PermissionMode } from './core/permission-mode.js';
export type { TakenThinking, Thinking, ThinkingDepth } from './core/thinking.js';
export type { ChosenByFlags } from './gateway/choose-backend.js';
export { type DiscordSettings, type GatewayConfig, loadConfig } from './gateway/config.js';
export type { OnHostExit } from './process/mark-child.js';
export type { ProcessUser } from './process/process-user.js';
export type { Line as ProcessLine } from './process/split-lines.js';
export {
  describeExit,
  type ProcessExit,
  type ProcessSpec,
  type RunningProcess,
  startProcess,
} from './process/start-process.js';
export type { Input as ProcessInput } from './process/write-input.js';
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
  ToolOptions,
  TurnFact,
} from './runner/types.js';
export { type OpenOptions, openSession, Sessions } from './sessions/sessions.js';
export type { BackendSession, SendOptions, SessionOptions } from './sessions/types.js';
export type { DiscordLimits } from './store/discord/people.js';
