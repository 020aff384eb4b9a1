import type { ProcessExit } from '../process/start-process.js';
import { type GeminiState, geminiDecoder, geminiFailure } from './gemini-decoder.js';
import { classifyFailure } from './one-shot/classify-failure.js';
import type { WireDecoder } from './one-shot/decoder.js';
import { fitsArgument, type Invocation, putInFront } from './one-shot/invocation.js';
import { OneShotBackend, type Turn, type Vendor } from './one-shot/one-shot-backend.js';
import { object } from './one-shot/read-fields.js';
import type { BackendCapabilities, PermissionMode } from './types.js';

/** Gemini CLI (R4), measured with 0.61.0. */
export class GeminiBackend extends OneShotBackend<GeminiState> {
  readonly capabilities: BackendCapabilities = {
    textDeltas: true,
    thinking: false,
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: false,
    permissionModes: ['bypass', 'edits', 'plan'],
  };

  protected readonly vendor: Vendor = {
    name: 'gemini',
    label: 'Gemini',
    install: 'npm install -g @google/gemini-cli',
    noise: [
      /^YOLO mode is enabled/,
      /^Ripgrep is not available/,
      /^Warning: (256-color|True color|Basic terminal)/,
      /^Loaded cached credentials/,
    ],
  };

  /** Gemini can't append to its own system prompt, only replace it: ours goes in front of the prompt. */
  buildArgs(prompt: string, systemPrompt: string, sessionId?: string): string[] {
    return this.#args({
      prompt: [putInFront(systemPrompt, prompt)],
      format: 'json',
      mode: 'bypass',
      sessionId,
      model: this.config.model,
      rawArgs: [],
    });
  }

  protected describe(turn: Turn): Invocation {
    const prompt = putInFront(turn.systemPrompt, turn.prompt);
    const channel = channelFor(prompt);
    const args = this.#args({
      ...turn,
      prompt: channel === 'stdin' ? [] : channel === 'option' ? [`--prompt=${prompt}`] : [prompt],
      format: turn.stream ? 'stream-json' : 'json',
      mode: turn.permissionMode,
    });
    const env = {
      // Without the relaunch: a second faster, and signals reach the process that works.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // An untrusted folder ends the run with 55, even in yolo mode; the caller chose this folder.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    };
    return channel === 'stdin' ? { args, env, stdin: prompt } : { args, env };
  }

  protected decoderFor(): WireDecoder<GeminiState> {
    return geminiDecoder;
  }

  /** With the plain format the error is a JSON document on stderr, behind a stack trace. */
  protected override vendorFailure(exit: ProcessExit, stderr: string) {
    const document = errorDocument(stderr);
    if (document !== undefined) return geminiFailure(document);
    const code = exitCodes[exit.code ?? 0];
    if (code === undefined) return undefined;
    const said = classifyFailure(stderr);
    return { code: said === 'unknown' ? code : said };
  }

  #args(parts: {
    prompt: readonly string[];
    format: string;
    mode: PermissionMode;
    sessionId?: string | undefined;
    model?: string | undefined;
    rawArgs: readonly string[];
  }): string[] {
    const args = [
      ...parts.prompt,
      '--output-format',
      parts.format,
      '--approval-mode',
      approvalModes[parts.mode],
    ];
    if (parts.model !== undefined) args.push('--model', parts.model);
    if (parts.sessionId !== undefined) args.push('--resume', parts.sessionId);
    args.push(...parts.rawArgs);
    return args;
  }
}

const approvalModes: Record<PermissionMode, string> = {
  bypass: 'yolo',
  edits: 'auto_edit',
  plan: 'plan',
  ask: 'default',
};

/** Its exit code is the HTTP status mod 256, or one of its own. */
const exitCodes: Record<number, 'auth' | 'rate_limit' | 'overloaded' | 'bad_request'> = {
  41: 'auth',
  42: 'bad_request',
  55: 'bad_request',
  144: 'bad_request',
  145: 'auth',
  147: 'auth',
  173: 'rate_limit',
  244: 'overloaded',
  247: 'overloaded',
};

/** One bare word may be a subcommand (`mcp`, `skills`; more in each version), and a dash begins an option. */
function channelFor(prompt: string): 'argument' | 'option' | 'stdin' {
  if (!fitsArgument(prompt)) return 'stdin';
  return /^-/.test(prompt) || /^[a-z]+$/i.test(prompt) ? 'option' : 'argument';
}

function errorDocument(stderr: string) {
  for (let at = stderr.lastIndexOf('\n{'); at >= -1; at = stderr.lastIndexOf('\n{', at - 1)) {
    const parsed = parseDocument(stderr.slice(at + 1));
    if (parsed !== undefined) return parsed;
    if (at <= 0) return undefined;
  }
  return undefined;
}

function parseDocument(text: string) {
  const end = text.lastIndexOf('}');
  if (!text.startsWith('{') || end < 0) return undefined;
  try {
    const error = object(JSON.parse(text.slice(0, end + 1)))['error'];
    return error === undefined ? undefined : object(error);
  } catch {
    return undefined;
  }
}
