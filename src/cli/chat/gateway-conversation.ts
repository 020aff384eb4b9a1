import { randomUUID } from 'node:crypto';
import { backendNames } from '../../backends/registry.js';
import { errorEvent, isTerminal, type PermissionDecision } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { isQuestionText } from '../../core/question-text.js';
import type {
  ChannelStatusView,
  EventView,
  MessageView,
  PermissionView,
  TurnView,
} from '../../gateway/channels/http/wire.js';
import type { ChannelEntry } from '../client/follow-channel.js';
import type { GatewayClient } from '../client/gateway-client.js';
import { sendSurely } from '../client/send-surely.js';
import type { Conversation, ConversationCommand, ConversationStatus, Tell } from './conversation.js';
import type { EarlierSession } from './earlier-sessions.js';
import { shortPath } from './short-path.js';

/** So much of what was said before is shown to whoever joins. */
const pastMessages = 6;

/**
 * A channel of a running gateway. What happens there is told as it comes, whoever has said it; it goes on when this one leaves,
 * and a gateway that is started again is waited for.
 */
export class GatewayConversation implements Conversation {
  readonly backends = backendNames();
  readonly #client: GatewayClient;
  readonly #channel: string;
  readonly #left = new AbortController();
  #view: ChannelStatusView;
  #tell: Tell = () => undefined;
  /** What is on its way: it comes back as something that was said. */
  readonly #sent: string[] = [];
  /** The id of the last message that was shown. */
  #shown = 0;
  /** The turn that is being shown. */
  #turn: string | undefined;
  readonly #asked = new Set<string>();

  constructor(client: GatewayClient, view: ChannelStatusView) {
    this.#client = client;
    this.#view = view;
    this.#channel = view.channel;
  }

  get status(): ConversationStatus {
    const { backend, model, permissionMode, cwd, channel } = this.#view;
    return { backend, model, permissionMode, cwd, channel, place: shortPath(cwd) };
  }

  async open(tell: Tell): Promise<void> {
    this.#tell = tell;
    const { messages } = await this.#client.messages(this.#channel, { limit: pastMessages });
    for (const message of messages) await this.#showPast(message);
    void this.#follow();
  }

  async say(prompt: string): Promise<void> {
    try {
      const { eventId } = await this.#send(prompt, 'queue');
      const event = await this.#ended(eventId);
      // One that was run comes as a turn; a command of the gateway, or one that was refused, has none.
      if (event.attempts > 0) return;
      const { error } = event;
      const ending = error === undefined ? nothingMore : errorEvent(error.code, error.message);
      await this.#tell({ type: 'agent', event: ending });
    } catch (error) {
      if (this.#left.signal.aborted) return;
      const code = error instanceof TurnoutError ? error.code : 'unknown';
      const words = error instanceof TurnoutError ? error.explanation : String(error);
      await this.#tell({ type: 'agent', event: errorEvent(code, words) });
    }
  }

  async steer(text: string): Promise<boolean> {
    if (!this.#view.steers || this.#view.running === undefined) return false;
    return this.#send(text, 'steer').then(
      () => true,
      () => false,
    );
  }

  async interrupt(): Promise<void> {
    await this.#client.interrupt(this.#channel, this.#view.running?.turnId);
  }

  async answer(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    try {
      await this.#client.answer(id, decision, message);
    } catch (error) {
      // As long as it is open it is asked again.
      this.#asked.delete(id);
      void this.#askAll(this.#view.permissions);
      throw error;
    }
  }

  /** The gateway has commands of the same names, and says itself what it has done. */
  async command(command: ConversationCommand, argument: string): Promise<string> {
    if (command === 'permissions' || command === 'resume')
      throw new TurnoutError('unsupported', `/${command} is not possible in a channel of a gateway.`, {
        hint:
          command === 'resume'
            ? 'Its page can go on with a session of a CLI.'
            : 'PERMISSION_MODE of the gateway says what its agents may do.',
      });
    const { eventId } = await this.#send(`/${command} ${argument}`.trim(), 'queue');
    const { error } = await this.#ended(eventId);
    if (error !== undefined) throw new TurnoutError(error.code, error.message);
    return '';
  }

  async sessions(): Promise<readonly EarlierSession[]> {
    throw new TurnoutError('unsupported', '/sessions is not possible in a channel of a gateway.', {
      hint: 'Its page lists the sessions of the CLIs. `turnout status` lists the channels.',
    });
  }

  async close(): Promise<string | undefined> {
    this.#left.abort();
    return `turnout chat --gateway ${this.#channel}`;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#left;
    try {
      for await (const entry of this.#client.follow(this.#channel, { signal })) await this.#hear(entry);
    } catch (error) {
      const text = error instanceof TurnoutError ? error.explanation : String(error);
      await this.#tell({
        type: 'note',
        text: `The gateway is not followed any more: ${text}`,
        warning: true,
      });
    }
  }

  async #hear(entry: ChannelEntry): Promise<void> {
    switch (entry.type) {
      case 'chat': {
        const { turnId, ...event } = entry.event;
        this.#turn = turnId;
        // Questions come with the state of the channel, which has those that were asked before, too.
        if (event.type === 'permission_request' || event.type === 'permission_resolved') return;
        if (isTerminal(event)) this.#turn = undefined;
        return this.#tell({ type: 'agent', event });
      }
      case 'turn':
        return this.#hearTurn(entry.turn);
      case 'said':
        return this.#hearSaid(entry.message);
      case 'state':
        this.#view = entry.status;
        await this.#tell({ type: 'status', status: this.status });
        return this.#askAll(entry.status.permissions);
      case 'lost':
        return this.#tell({
          type: 'note',
          text: `The gateway can't be reached: ${entry.reason}`,
          warning: true,
        });
      case 'connected':
        if (entry.again) await this.#tell({ type: 'note', text: 'The gateway is there again.' });
    }
  }

  async #hearTurn({ turnId, state, error }: TurnView): Promise<void> {
    if (state === 'running') {
      this.#turn = turnId;
      return this.#tell({ type: 'turn' });
    }
    // A turn that a killed gateway has begun has no end of its own.
    if (this.#turn !== turnId) return;
    this.#turn = undefined;
    const ending = error === undefined ? nothingMore : errorEvent(error.code, error.message);
    await this.#tell({ type: 'agent', event: ending });
  }

  async #hearSaid(message: MessageView): Promise<void> {
    if (Number(message.id) <= this.#shown) return;
    this.#shown = Number(message.id);
    const { role, text, author } = message;
    // An answer has been heard word by word; a question stands here with keys that answer it.
    if (role === 'assistant' || (role === 'system' && isQuestionText(text))) return;
    if (role === 'system') return this.#tell({ type: 'note', text });
    const own = this.#sent.indexOf(text);
    if (own >= 0) this.#sent.splice(own, 1);
    else await this.#tell({ type: 'said', text, by: author ?? 'somebody' });
  }

  async #showPast({ id, role, text, author }: MessageView): Promise<void> {
    this.#shown = Number(id);
    if (role === 'assistant') await this.#tell({ type: 'answered', text });
    else if (role === 'system') await this.#tell({ type: 'note', text });
    else await this.#tell({ type: 'said', text, ...(author === undefined ? {} : { by: author }) });
  }

  async #askAll(open: readonly PermissionView[]): Promise<void> {
    for (const id of this.#asked) {
      if (open.some((view) => view.id === id)) continue;
      this.#asked.delete(id);
      await this.#tell({ type: 'agent', event: { type: 'permission_resolved', id, decision: 'deny' } });
    }
    for (const view of open) {
      if (this.#asked.has(view.id)) continue;
      this.#asked.add(view.id);
      // Whoever allows it has to see all of it.
      const whole = view.shortened ? await this.#client.permission(view.id).catch(() => undefined) : view;
      if (whole === undefined) {
        this.#asked.delete(view.id);
        continue;
      }
      const { id, tool, input, options, always } = whole;
      const event = { type: 'permission_request', id, tool, input, options } as const;
      await this.#tell({ type: 'agent', event: always === undefined ? event : { ...event, always } });
    }
  }

  async #send(text: string, queueMode: 'queue' | 'steer') {
    this.#sent.push(text);
    const say = (line: string) => void this.#tell({ type: 'note', text: line, warning: true });
    return sendSurely(
      this.#client,
      this.#channel,
      { text, messageId: randomUUID(), queueMode },
      { signal: this.#left.signal, wasThere: true, say },
    );
  }

  async #ended(eventId: string): Promise<EventView> {
    const { signal } = this.#left;
    for (;;) {
      const event = await this.#client
        .event(eventId, { waitSeconds: 60, signal })
        .catch(async (error: unknown) => {
          if (signal.aborted || !(error instanceof TurnoutError) || error.code !== 'network') throw error;
          await new Promise((resolve) => setTimeout(resolve, 1000));
          return undefined;
        });
      if (event !== undefined && event.state !== 'queued' && event.state !== 'running') return event;
    }
  }
}

const nothingMore = { type: 'complete', text: '', sessionId: '', stopReason: 'end_turn' } as const;
