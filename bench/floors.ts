import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { VendorName } from '../src/backends/registry.js';
import type { LabHome } from '../src/lab/home.js';
import { createBackend } from './product.js';

/** The least code that speaks a CLI's long-lived protocol: what a turn costs when nobody looks after anything. */
export interface Floor {
  turn(prompt: string): Promise<void>;
  end(): Promise<void>;
}

export const floors: Readonly<Record<VendorName, (home: LabHome, cliPath: string) => Promise<Floor>>> = {
  claude: async (home, cliPath) => {
    const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const peer = start(cliPath, [...args, '--include-partial-messages', '--dangerously-skip-permissions'], {
      home,
      env: { IS_SANDBOX: '1' },
    });
    peer.send({ type: 'control_request', request_id: 'r1', request: { subtype: 'initialize' } });
    await peer.next((message) => message['type'] === 'control_response');
    return {
      async turn(content) {
        peer.send({ type: 'user', message: { role: 'user', content }, text_not_typed: true });
        await peer.next((message) => message['type'] === 'result');
      },
      end: () => peer.end(),
    };
  },

  codex: async (home, cliPath) => {
    const config = {
      cliPath,
      workingDir: home.workingDir,
      queryTimeoutMs: 0,
      allowedTools: [],
      maxTurns: 25,
      env: home.env,
    };
    const { command } = await createBackend('codex', config).locate();
    const peer = start(
      command,
      ['app-server', '-c', 'analytics.enabled=false', '-c', 'features.plugins=false'],
      { home },
    );
    await peer.request('initialize', {
      clientInfo: { name: 'floor', title: null, version: '1' },
      capabilities: null,
    });
    peer.send({ method: 'initialized' });
    const started = await peer.request('thread/start', {
      cwd: home.workingDir,
      approvalPolicy: 'never',
      sandbox: 'danger-full-access',
    });
    const { id } = (started['result'] as { thread: { id: string } }).thread;
    return {
      async turn(text) {
        const done = peer.next((message) => message['method'] === 'turn/completed');
        await peer.request('turn/start', { threadId: id, input: [{ type: 'text', text }] });
        await done;
      },
      end: () => peer.end(),
    };
  },

  gemini: async (home, cliPath) => {
    const peer = start(cliPath, ['--acp', '-m', home.model ?? '', '--approval-mode', 'yolo'], {
      home,
      env: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    });
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const opened = await peer.request('session/new', { cwd: home.workingDir, mcpServers: [] });
    const { sessionId } = opened['result'] as { sessionId: string };
    return {
      async turn(text) {
        await peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
      },
      end: () => peer.end(),
    };
  },

  opencode: async (home, cliPath) => {
    const password = randomUUID();
    const peer = start(cliPath, ['serve', '--port', '0', '--hostname', '127.0.0.1'], {
      home,
      env: { OPENCODE_SERVER_PASSWORD: password },
    });
    const url = await peer.text(/listening on (http:\/\/\S+)/);
    const headers = {
      authorization: `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    };
    const where = `directory=${encodeURIComponent(home.workingDir)}`;
    const post = async (path: string, body: unknown) =>
      (await fetch(`${url}${path}?${where}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    const session = (await post('/session', { title: 'floor' })) as { id: string };
    const [providerID, modelID] = (home.model ?? '').split('/');
    return {
      async turn(text) {
        await post(`/session/${session.id}/message`, {
          model: { providerID, modelID },
          parts: [{ type: 'text', text }],
        });
      },
      end: () => peer.end(),
    };
  },
};

type Message = Readonly<Record<string, unknown>>;

function start(
  command: string,
  args: readonly string[],
  { home, env = {} }: { home: LabHome; env?: Record<string, string> },
) {
  const child: ChildProcessWithoutNullStreams = spawn(command, args, {
    cwd: home.workingDir,
    env: { ...home.env, ...env },
    detached: true,
  });
  child.stderr.resume();
  const waiting = new Set<{ fits: (message: Message) => boolean; take: (message: Message) => void }>();
  const texts: string[] = [];
  let onText: (() => void) | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    texts.push(line);
    onText?.();
    if (!line.startsWith('{')) return;
    const message: Message = JSON.parse(line);
    for (const waiter of waiting) {
      if (!waiter.fits(message)) continue;
      waiting.delete(waiter);
      waiter.take(message);
    }
  });
  let ids = 0;
  const send = (message: Message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const next = (fits: (message: Message) => boolean) =>
    new Promise<Message>((take) => {
      waiting.add({ fits, take });
    });
  return {
    send,
    next,
    async request(method: string, params: unknown): Promise<Message> {
      const id = ++ids;
      const answer = next((message) => message['id'] === id && message['method'] === undefined);
      send({ jsonrpc: '2.0', id, method, params });
      return answer;
    },
    async text(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = texts.map((line) => pattern.exec(line)?.[1]).find((match) => match !== undefined);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          onText = resolve;
        });
      }
    },
    async end(): Promise<void> {
      const exit = once(child, 'exit');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await exit;
    },
  };
}
