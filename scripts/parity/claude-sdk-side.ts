import type { ChildProcess } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asObject, asString, type JsonObject } from '../../src/lab/model/json.js';
import { installSdk } from '../install-cli.js';
import { ClaudeSdkReader } from './claude-sdk-reader.js';
import type { Ask, Conversation, OpenOptions, Side, SideOptions } from './side.js';

export interface ClaudeSideOptions extends SideOptions {
  /** Starts the CLI in the SDK's place. */
  readonly spawn?: (wanted: SpawnOptions) => SpawnedProcess;
}

export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As much of a child process as the SDK needs. */
export type SpawnedProcess = Pick<
  ChildProcess,
  'stdin' | 'stdout' | 'killed' | 'exitCode' | 'kill' | 'on' | 'once' | 'off'
>;

/** `query()` of the Claude Agent SDK, fed with messages as they come: its own way to hold a conversation. */
export async function claudeSdkSide({ cliPath, home, spawn }: ClaudeSideOptions): Promise<Side> {
  const module = join(installSdk('@anthropic-ai/claude-agent-sdk'), 'sdk.mjs');
  const { query } = (await import(/* @vite-ignore */ pathToFileURL(module).href)) as ClaudeSdk;
  const abortController = new AbortController();
  // Every conversation of the benchmark listens to it.
  setMaxListeners(0, abortController.signal);
  const options = {
    abortController,
    pathToClaudeCodeExecutable: cliPath,
    cwd: home.workingDir,
    // As root it skips permissions only in what it is told to be a sandbox.
    env: { ...home.env, IS_SANDBOX: '1' },
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    includePartialMessages: true,
    ...(spawn && { spawnClaudeCodeProcess: spawn }),
  };
  return {
    name: 'sdk',
    deltas: true,
    async open({ tell, sessionId, ask }: OpenOptions) {
      const reader = new ClaudeSdkReader(tell);
      const inbox = new Inbox();
      const messages = query({
        prompt: inbox,
        options: { ...options, ...permissionOptions(ask, reader), ...(sessionId && { resume: sessionId }) },
      });
      return conversation(messages, inbox, reader);
    },
    close: async () => abortController.abort(),
  };
}

function permissionOptions(ask: Ask | undefined, reader: ClaudeSdkReader): JsonObject {
  if (ask === undefined)
    return { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
  const canUseTool: CanUseTool = async (tool, input, { toolUseID, suggestions = [], signal }) => {
    reader.asked(toolUseID, { type: 'question', tool, input });
    if (ask.decision === 'never') {
      await once(signal, 'abort');
      reader.asked(toolUseID, { type: 'decision', decision: 'deny' });
      throw signal.reason;
    }
    reader.asked(toolUseID, { type: 'decision', decision: ask.decision });
    if (ask.decision === 'deny') return { behavior: 'deny', message: ask.message };
    const always = ask.decision === 'allow_always';
    return { behavior: 'allow', updatedInput: input, ...(always && { updatedPermissions: suggestions }) };
  };
  return { permissionMode: 'default', canUseTool };
}

function conversation(messages: Query, inbox: Inbox, reader: ClaudeSdkReader): Conversation {
  return {
    get sessionId() {
      return reader.sessionId;
    },
    async turn(prompt) {
      inbox.put({ type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null });
      try {
        for (;;) {
          const { value, done } = await messages.next();
          if (done) throw new Error('There were no more messages.');
          reader.read(value);
          if (value['type'] === 'result') return;
        }
      } catch (error) {
        reader.threw(error);
      }
    },
    async interrupt() {
      await messages.interrupt();
    },
    async close() {
      inbox.end();
      try {
        while (!(await messages.next()).done);
      } catch (error) {
        reader.threwAtClose(asString(asObject(error)['message']));
      }
    },
  };
}

/** The prompts of a conversation, one after the other. */
class Inbox implements AsyncIterable<JsonObject> {
  readonly #waiting: JsonObject[] = [];
  #wake: () => void = () => {};
  #ended = false;

  put(message: JsonObject): void {
    this.#waiting.push(message);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JsonObject> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** The part of the SDK that is used: it is not among our packages, so its types are not there. */
interface ClaudeSdk {
  query(call: { prompt: AsyncIterable<JsonObject>; options: JsonObject }): Query;
}

interface Query extends AsyncGenerator<JsonObject, void> {
  interrupt(): Promise<unknown>;
}

type CanUseTool = (
  tool: string,
  input: unknown,
  context: {
    readonly toolUseID: string;
    readonly suggestions?: readonly unknown[];
    readonly signal: AbortSignal;
  },
) => Promise<JsonObject>;
