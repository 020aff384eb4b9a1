import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodexState } from '../backends/codex/decoder.js';
import { nativeCodex } from '../backends/codex/native-binary.js';
import { CodexBackend } from '../backends/codex-backend.js';
import type { WireDecoder } from '../backends/one-shot/decoder.js';
import type { Invocation } from '../backends/one-shot/invocation.js';
import type { Turn } from '../backends/one-shot/one-shot-backend.js';
import { text } from '../backends/output/read-fields.js';
import type { BackendAdapterConfig, EventBackend, LocatedCli } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { ThreadOptions } from './codex-sdk/load-sdk.js';

const name = 'codex-sdk';

/**
 * Codex over the vendor's own SDK (O2), measured with 0.163.0. The SDK is an optional peer: it is looked for beside Turnout,
 * then in the project that this program was started in, and loaded when a turn begins. One-shot turns only.
 */
export function codexSdkAdapter(
  config: BackendAdapterConfig,
  from: readonly string[] = [fileURLToPath(import.meta.url), ...ownProject()],
): EventBackend & Pick<CodexBackend, 'locate' | 'plan' | 'lastSession' | 'recordedTools'> {
  const backend = new CodexSdkBackend(config, from);
  // Without `live`: the SDK has no long-lived mode.
  return {
    name: () => name,
    capabilities: backend.capabilities,
    validate: () => backend.validate(),
    execute: (...given) => backend.execute(...given),
    run: (request, options) => backend.run(request, options),
    locate: () => backend.locate(),
    plan: (request) => backend.plan(request),
    lastSession: (cwd, env) => backend.lastSession(cwd, env),
    recordedTools: (query) => backend.recordedTools(query),
    versionNotice: (version) => backend.versionNotice(version),
  };
}

/** The directory that this program was started in may be gone. */
function ownProject(): readonly string[] {
  try {
    return [join(process.cwd(), 'package.json')];
  } catch {
    return [];
  }
}

class CodexSdkBackend extends CodexBackend {
  readonly #from: readonly string[];

  constructor(config: BackendAdapterConfig, from: readonly string[]) {
    // What the SDK drives is called codex.
    super(config.cliPath === name ? { ...config, cliPath: 'codex' } : config);
    this.#from = from;
  }

  override name(): string {
    return name;
  }

  override async validate(): Promise<boolean> {
    return this.locate().then(
      () => true,
      () => false,
    );
  }

  /** The Codex that the SDK brings along, unless a path was configured, or the SDK was installed without it. */
  override async locate(): Promise<LocatedCli> {
    const { findPackage, findSdk } = await import('./codex-sdk/load-sdk.js');
    const sdk = await findSdk(this.#from);
    if (!/[\\/]/.test(this.config.cliPath)) {
      const own = await findPackage('@openai/codex', [join(sdk.directory, 'package.json')]);
      const native = own && nativeCodex(join(own.directory, 'bin', 'codex.js'), this.inherited);
      if (native !== undefined) return { ...native, version: text(own?.manifest['version']) };
    }
    return super.locate();
  }

  protected override async describe(turn: Turn): Promise<Invocation> {
    this.#refuse(turn);
    const settings = await this.settingArguments(turn);
    const configOverrides = settings.filter((word) => word !== '-c');
    const thread = threadOptions(turn);
    return {
      args: sdkArguments(configOverrides, thread, turn.sessionId),
      stdin: this.stdinOf(turn),
      start: async (spec) => {
        const [{ findSdk, loadSdk }, { startSdkTurn }] = await Promise.all([
          import('./codex-sdk/load-sdk.js'),
          import('./codex-sdk/sdk-process.js'),
        ]);
        const sdk = await loadSdk(await findSdk(this.#from));
        return startSdkTurn(sdk, { threadId: turn.sessionId, thread, configOverrides }, spec);
      },
    };
  }

  protected override decoderFor(turn?: Turn): WireDecoder<CodexState> {
    const decoder = super.decoderFor(turn);
    return {
      ...decoder,
      step: (state, line, raw) => {
        const [next, events] = decoder.step(state, line, raw);
        return [
          next,
          events.map((event) => (event.type === 'session' ? { ...event, backend: name } : event)),
        ];
      },
    };
  }

  #refuse(turn: Turn): void {
    const hint = 'Use codex, which drives the CLI without the SDK.';
    if (turn.rawArgs.length > 0)
      throw new TurnoutError('unsupported', `${name} does not support rawArgs (arguments behind --).`, {
        hint,
      });
    if (this.config.user !== undefined)
      throw new TurnoutError('unsupported', `${name} does not support another user (AGENT_USER).`, { hint });
  }
}

const sandboxModes: Record<PermissionMode, ThreadOptions['sandboxMode']> = {
  bypass: 'danger-full-access',
  edits: 'workspace-write',
  plan: 'read-only',
  ask: 'read-only',
};

function threadOptions({ model, permissionMode, cwd }: Turn): ThreadOptions {
  return {
    ...(model ? { model } : {}),
    sandboxMode: sandboxModes[permissionMode],
    approvalPolicy: 'never',
    workingDirectory: cwd,
    skipGitRepoCheck: true,
  };
}

/** The arguments that the SDK (0.163.0) makes of these options: for traces and plans. */
function sdkArguments(
  configOverrides: readonly string[],
  { model, sandboxMode, approvalPolicy, workingDirectory }: ThreadOptions,
  threadId: string | undefined,
): readonly string[] {
  return [
    'exec',
    '--experimental-json',
    ...configOverrides.flatMap((override) => ['--config', override]),
    ...(model === undefined ? [] : ['--model', model]),
    ...['--sandbox', sandboxMode, '--cd', workingDirectory, '--skip-git-repo-check'],
    ...['--config', `approval_policy="${approvalPolicy}"`],
    ...(threadId === undefined ? [] : ['resume', threadId]),
  ];
}
