import { createBackend } from '../../src/backends/registry.js';
import { TurnoutError } from '../../src/core/errors.js';
import { Sessions } from '../../src/sessions/sessions.js';
import type { BackendSession } from '../../src/sessions/types.js';
import type { Fact } from './facts.js';
import type { Ask, Conversation, OpenOptions, Side, SideOptions } from './side.js';
import { TurnReader } from './turnout-reader.js';

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

function conversation(
  session: BackendSession,
  tell: (fact: Fact) => void,
  ask: Ask | undefined,
): Conversation {
  return {
    get sessionId() {
      return session.sessionId;
    },
    async turn(prompt) {
      const reader = new TurnReader();
      for await (const event of session.send(prompt)) {
        for (const fact of reader.read(event)) tell(fact);
        if (event.type === 'permission_request' && ask !== undefined && ask.decision !== 'never')
          await session.answerPermission(event.id, ask.decision, ask.message);
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
