import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createBackend } from '../../src/backends/registry.js';
import { asObject, asString, type JsonObject } from '../../src/lab/model/json.js';
import { installSdk } from '../install-cli.js';
import { readCodexEvent } from './codex-sdk-reader.js';
import type { Fact } from './facts.js';
import type { Conversation, OpenOptions, Side, SideOptions } from './side.js';

/** A `Thread` of the Codex SDK, which runs `codex exec --experimental-json` for each turn. */
export async function codexSdkSide({ cliPath, home }: SideOptions): Promise<Side> {
  const module = join(installSdk('@openai/codex-sdk'), 'dist/index.js');
  const { Codex } = (await import(/* @vite-ignore */ pathToFileURL(module).href)) as CodexSdk;
  const { command, env } = await nativeCodex(cliPath, home.env, home.workingDir);
  const codex = new Codex({ codexPathOverride: command, env: { ...home.env, ...env } });
  const options = {
    workingDirectory: home.workingDir,
    skipGitRepoCheck: true,
    sandboxMode: 'danger-full-access',
  };
  const closing = new AbortController();
  return {
    name: 'sdk',
    deltas: false,
    async open({ tell, sessionId }: OpenOptions) {
      return conversation(
        sessionId === undefined ? codex.startThread(options) : codex.resumeThread(sessionId, options),
        tell,
        closing.signal,
      );
    },
    close: async () => closing.abort(),
  };
}

/** Left to itself the SDK starts the native binary too, not npm's shim. */
function nativeCodex(cliPath: string, env: Readonly<Record<string, string>>, workingDir: string) {
  const config = { cliPath, workingDir, env, queryTimeoutMs: 0, allowedTools: [], maxTurns: 0 };
  return createBackend('codex', config).locate();
}

function conversation(thread: Thread, tell: (fact: Fact) => void, closing: AbortSignal): Conversation {
  let running: AbortController | undefined;
  return {
    get sessionId() {
      return thread.id ?? undefined;
    },
    async turn(prompt) {
      running = new AbortController();
      tell(await playTurn(thread, prompt, AbortSignal.any([running.signal, closing]), tell));
    },
    async interrupt() {
      running?.abort();
    },
    close: async () => {},
  };
}

/** The events of one turn, and how it ended. */
async function playTurn(
  thread: Thread,
  prompt: string,
  signal: AbortSignal,
  tell: (fact: Fact) => void,
): Promise<Fact> {
  let text = '';
  let failed: string | undefined;
  try {
    const { events } = await thread.runStreamed(prompt, { signal });
    for await (const event of events) {
      if (event['type'] === 'turn.failed') failed = asString(asObject(event['error'])['message']);
      for (const fact of readCodexEvent(event)) {
        tell(fact);
        // As the SDK's own `run()` has it: the last message is the answer.
        if (fact.type === 'text') text = fact.text;
      }
    }
  } catch (error) {
    if (failed !== undefined)
      return { type: 'failure', code: undefined, message: failed, how: 'told, then thrown' };
    const { name, message } = asObject(error);
    const code = name === 'AbortError' ? 'interrupted' : undefined;
    return { type: 'failure', code, message: asString(message), how: 'thrown' };
  }
  return { type: 'answer', text, stopReason: 'end_turn' };
}

/** The part of the SDK that is used: it is not among our packages, so its types are not there. */
interface CodexSdk {
  readonly Codex: new (options: {
    codexPathOverride: string;
    env: Readonly<Record<string, string>>;
  }) => {
    startThread(options: JsonObject): Thread;
    resumeThread(id: string, options: JsonObject): Thread;
  };
}

interface Thread {
  readonly id: string | null;
  runStreamed(
    prompt: string,
    options: { signal: AbortSignal },
  ): Promise<{ events: AsyncIterable<JsonObject> }>;
}
