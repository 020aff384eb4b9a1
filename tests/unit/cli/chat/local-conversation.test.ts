import { describe, expect, it } from 'vitest';
import type { ConversationEvent } from '../../../../src/cli/chat/conversation.js';
import { LocalConversation } from '../../../../src/cli/chat/local-conversation.js';
import type { PreparedAgent, Wanted } from '../../../../src/cli/chat/open-agent.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import type { BackendSession } from '../../../../src/sessions/types.js';

/** Live sessions that answer every prompt by "answer <n>", and keep what they were told. */
class Stage {
  readonly prompts: { backend: string; prompt: string }[] = [];
  readonly opened: Wanted[] = [];
  readonly modes: string[] = [];
  readonly events: ChatEvent[] = [];
  readonly notes: string[] = [];
  readonly past: string[] = [];
  onEnd: () => void = () => undefined;
  readonly chat: LocalConversation;

  constructor(wanted: Wanted = { backend: 'claude' }) {
    this.chat = new LocalConversation({
      sessions: { close: async () => undefined } as never,
      first: this.#prepare(wanted),
      wanted,
      isAgents: true,
      prepare: async (next) => this.#prepare(next),
    });
  }

  async open(): Promise<this> {
    await this.chat.open((event: ConversationEvent) => {
      if (event.type === 'note') this.notes.push(event.text);
      if (event.type === 'said' || event.type === 'answered') this.past.push(event.text);
      if (event.type !== 'agent') return;
      this.events.push(event.event);
      if (event.event.type === 'complete') this.onEnd();
    });
    return this;
  }

  #prepare(wanted: Wanted): PreparedAgent {
    this.opened.push(wanted);
    const { backend = 'claude', permissionMode = 'ask' } = wanted;
    const place = { cwd: '/project', home: '/home', warnings: [] };
    return {
      ...place,
      backend,
      permissionMode,
      model: wanted.model,
      adapter: {
        lastExchange: async (id: string) => ({ prompt: `asked in ${id}`, answer: 'yes' }),
      } as never,
      steers: true,
      open: async () => this.#session(backend),
      remove: async () => undefined,
    };
  }

  #session(backend: string): BackendSession {
    const { prompts, modes } = this;
    const session: Partial<BackendSession> = {
      sessionId: `of-${backend}`,
      async *send(prompt) {
        prompts.push({ backend, prompt });
        yield { type: 'session', sessionId: `of-${backend}`, model: 'its-default' } as ChatEvent;
        const text = `answer ${prompts.length}`;
        yield { type: 'complete', text, sessionId: `of-${backend}`, stopReason: 'end_turn' };
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
      setModel: async () => undefined,
      setPermissionMode: async (mode) => void modes.push(`${backend}: ${mode}`),
      close: async () => undefined,
    };
    return session as BackendSession;
  }
}

describe('a conversation with live sessions (18.1)', () => {
  it('a message that waited is said alone: its own history is not told to the CLI', async () => {
    const stage = await new Stage().open();
    let second: Promise<void> | undefined;
    stage.onEnd = () => {
      second ??= stage.chat.say('two');
    };
    await stage.chat.say('one');
    await second;
    expect(stage.prompts.map(({ prompt }) => prompt)).toEqual(['one', 'two']);
  });

  it('whoever takes over is told what was said, in its order', async () => {
    const stage = await new Stage().open();
    let second: Promise<void> | undefined;
    stage.onEnd = () => {
      second ??= stage.chat.say('two');
    };
    await stage.chat.say('one');
    await second;
    await stage.chat.command('backend', 'codex');
    await stage.chat.say('three');
    const told = stage.prompts.at(-1)?.prompt ?? '';
    const places = ['one', 'answer 1', 'two', 'answer 2', 'three'].map((text) => told.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(told).not.toContain('not finished');
  });

  it('keeps the model that was chosen when something else is changed', async () => {
    const stage = await new Stage().open();
    await stage.chat.command('model', 'opus');
    await stage.chat.command('thinking', 'high');
    expect(stage.opened.at(-1)).toMatchObject({ model: 'opus', thinking: 'high' });
    await stage.chat.command('new', '');
    expect(stage.opened.at(-1)).toMatchObject({ model: 'opus', thinking: 'high' });
  });

  it('the model that the CLI has chosen stays in the status, and the depth comes into it', async () => {
    const stage = await new Stage().open();
    await stage.chat.say('one');
    await stage.chat.command('thinking', 'high');
    expect(stage.chat.status).toMatchObject({ model: 'its-default', thinking: 'high' });
  });

  it('shows the last exchange of a session that goes on, unless somebody speaks already', async () => {
    const given = await new Stage({ backend: 'claude', sessionId: 'x' }).open();
    const last = await new Stage({ backend: 'claude', continueLast: true }).open();
    expect([given.past, last.past]).toEqual([
      ['asked in x', 'yes'],
      ['asked in of-claude', 'yes'],
    ]);
    await given.chat.command('resume', 'y');
    expect(given.past.slice(2)).toEqual(['asked in y', 'yes']);
    expect((await new Stage().open()).past).toEqual([]);
    const spoken = new Stage({ backend: 'claude', sessionId: 'x' });
    const open = spoken.open();
    const said = spoken.chat.say('first');
    await open;
    expect(spoken.past).toEqual([]);
    await said;
  });

  it('the permission mode goes along, also back to a CLI that had another one', async () => {
    const stage = await new Stage({ backend: 'claude', permissionMode: 'bypass' }).open();
    await stage.chat.command('backend', 'codex');
    expect(stage.opened.at(-1)).toMatchObject({ backend: 'codex', permissionMode: 'bypass' });
    await stage.chat.command('permissions', 'ask');
    await stage.chat.command('backend', 'claude');
    expect(stage.modes).toEqual(['codex: ask', 'claude: ask']);
    expect(stage.chat.status.permissionMode).toBe('ask');
  });
});
