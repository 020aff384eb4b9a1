import { createBackend } from '../../src/backends/registry.js';
import type { ChatEvent, PermissionRequestEvent } from '../../src/core/chat-event.js';
import { TurnoutError } from '../../src/core/errors.js';
import { Sessions } from '../../src/sessions/sessions.js';
import type { BackendSession } from '../../src/sessions/types.js';
import type { Fact } from './facts.js';
import type { Ask, Conversation, OpenOptions, Side, SideOptions } from './side.js';

/** Turnout: live sessions over a warm process, or a process for each turn. */
export function turnoutSide({ vendor, cliPath, home }: SideOptions, name: 'live' | 'one-shot'): Side {
  const sessions = new Sessions();
  const config = {
    cliPath,
    workingDir: home.workingDir,
    queryTimeoutMs: 30_000,
    allowedTools: [],
    maxTurns: 25,
    env: home.env,
  };
  return {
    name,
    deltas: name === 'live' || createBackend(vendor, config).capabilities.textDeltas,
    async open({ tell, sessionId, ask }: OpenOptions) {
      try {
        const session = await sessions.open({
          backend: vendor,
          config,
          live: name === 'live',
          sessionId,
          permissionMode: ask === undefined ? 'bypass' : 'ask',
        });
        return conversation(session, tell, ask);
      } catch (error) {
        if (!(error instanceof TurnoutError)) throw error;
        tell({ type: 'failure', code: error.code, message: error.message, how: 'at opening' });
        return nowhere;
      }
    },
    close: () => sessions.close(),
  };
}

function conversation(session: BackendSession, tell: (fact: Fact) => void, ask: Ask | undefined): Conversation {
  return {
    get sessionId() {
      return session.sessionId;
    },
    async turn(prompt) {
      const asked = new Map<string, PermissionRequestEvent>();
      for await (const event of session.send(prompt)) {
        if (event.type === 'permission_request') {
          asked.set(event.id, event);
          if (ask !== undefined) await session.answerPermission(event.id, ask.decision, ask.message);
        }
        for (const fact of factsOf(event, asked)) tell(fact);
      }
    },
    interrupt: () => session.interrupt(),
    close: () => session.close(),
  };
}

/** A conversation that never came about. */
const nowhere: Conversation = {
  sessionId: undefined,
  turn: async () => {},
  interrupt: async () => {},
  close: async () => {},
};

function factsOf(event: ChatEvent, asked: ReadonlyMap<string, PermissionRequestEvent>): readonly Fact[] {
  switch (event.type) {
    case 'session':
      return [{ type: 'session', id: event.sessionId }];
    case 'text':
    case 'thinking':
      return [{ type: event.type, text: event.text }];
    case 'tool_start':
      return [{ type: 'tool', id: event.id, name: event.name, input: event.input }];
    case 'tool_end':
      return [{ type: 'output', id: event.id, output: event.output, isError: event.isError }];
    case 'permission_resolved': {
      const request = asked.get(event.id);
      const { tool = 'a request that was never made', input } = request ?? {};
      return [{ type: 'permission', tool, input, decision: event.decision }];
    }
    case 'notice':
      return [isRetry.test(event.message) ? { type: 'retry' } : { type: 'notice', message: event.message }];
    case 'usage': {
      const { inputTokens, cachedInputTokens = 0, outputTokens } = event;
      return [{ type: 'usage', input: inputTokens, cached: cachedInputTokens, output: outputTokens }];
    }
    case 'complete':
      return [{ type: 'answer', text: event.text, stopReason: event.stopReason }];
    case 'error':
      return [{ type: 'failure', code: event.code, message: event.message, how: 'told' }];
    case 'thinking_start':
    case 'thinking_end':
    case 'permission_request':
      return [];
  }
}

const isRetry = /retry \d|^reconnecting/i;
