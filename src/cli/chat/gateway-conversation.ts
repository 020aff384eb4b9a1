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
  ReceiptView,
  TurnView,
} from '../../gateway/channels/http/wire.js';
import { parseCommand } from '../../gateway/commands/parse-command.js';
import type { ChannelEntry } from '../client/follow-channel.js';
import type { GatewayClient } from '../client/gateway-client.js';
import { countsAnew, MessagePlace } from '../client/message-place.js';
import { sendSurely } from '../client/send-surely.js';
import { AnswerBeginning, nothingToSay } from '../client/silent-answer.js';
import type { Conversation, ConversationCommand, ConversationStatus, Tell } from './conversation.js';
import type { EarlierSession } from './earlier-sessions.js';
import { gatewayCommands } from './gateway-commands.js';
import { shortPath } from './short-path.js';
import type { AskedRequest } from './state/describe-request.js';

/** So much of what was said before is shown to whoever joins. */
const pastMessages = 6;

/**
 * A channel of a running gateway. What happens there is told as it comes, whoever has said it; it goes on when this one leaves,
 * and a gateway that is started again is waited for.
 */
export class GatewayConversation implements Conversation {
  readonly backends = backendNames();
  readonly commands = gatewayCommands;
  readonly #client: GatewayClient;
  readonly #channel: string;
  readonly #left = new AbortController();
  #view: ChannelStatusView;
  #tell: Tell = () => undefined;
  readonly #flags: string;
  /** What is on its way, and what the gateway has taken: it comes back as something that was said. */
  readonly #sending = new Set<{ readonly text: string; readonly receipt: Promise<ReceiptView> }>();
  readonly #taken = new Set<string>();
  readonly #shown = new MessagePlace();
  /** The turn that is being shown. */
  #turn: string | undefined;
  readonly #beginning = new AnswerBeginning();
  readonly #asked = new Set<string>();

  /** The flags find the gateway, in the commands that are named. */
  constructor(client: GatewayClient, view: ChannelStatusView, flags = '') {
    this.#client = client;
    this.#flags = flags;
    this.#view = view;
    this.#channel = view.channel;
  }

  get status(): ConversationStatus {
    const { backend, model, permissionMode, cwd, channel, steers } = this.#view;
    return { backend, model, permissionMode, cwd, channel, steers, place: shortPath(cwd) };
  }

  async open(tell: Tell): Promise<void> {
    this.#tell = tell;
    const { messages } = await this.#client.messages(this.#channel, { limit: pastMessages });
    for (const message of messages) await this.#showPast(message);
    void this.#follow();
  }

  async say(prompt: string): Promise<void> {
    try {
      const { eventId } = await this.#send(asPrompt(prompt), 'queue');
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
    return this.#send(asPrompt(text), 'steer').then(
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

  async handOn(text: string): Promise<void> {
    const { eventId } = await this.#send(text, 'queue');
    const { attempts, error } = await this.#ended(eventId);
    // One that was worked on has been answered in the channel.
    if (attempts === 0 && error !== undefined) throw new TurnoutError(error.code, error.message);
  }

  async sessions(): Promise<readonly EarlierSession[]> {
    throw new TurnoutError('unsupported', '/sessions is not possible in a channel of a gateway.', {
      hint: 'Its page lists the sessions of the CLIs. `turnout history` lists the channels.',
    });
  }

  async close(): Promise<string | undefined> {
    this.#left.abort();
    return `turnout chat --gateway ${this.#channel}${this.#flags}`;
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
        if (event.type === 'text') {
          const text = this.#beginning.text(event.text);
          return text === '' ? undefined : this.#tell({ type: 'agent', event: { ...event, text } });
        }
        if (event.type === 'complete' && this.#beginning.isHeld) {
          // The message that follows says whether it was an answer.
          this.#turn = undefined;
          return this.#tell({ type: 'agent', event: { ...event, text: '' } });
        }
        if (event.type === 'tool_start') {
          const text = this.#beginning.release();
          if (text !== '') await this.#tell({ type: 'agent', event: { type: 'text', text } });
          this.#beginning.begins();
        }
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
      case 'reset':
        return this.#reset();
      case 'connected':
        // What was said since the last messages were read; a later connection goes on where the one before was.
        if (!entry.again) await this.#catchUp();
        else await this.#tell({ type: 'note', text: 'The gateway is there again.' });
    }
  }

  async #hearTurn({ turnId, state, error }: TurnView): Promise<void> {
    if (state === 'running') {
      this.#turn = turnId;
      this.#beginning.begins();
      return this.#tell({ type: 'turn' });
    }
    // A turn that a killed gateway has begun has no end of its own.
    if (this.#turn !== turnId) return;
    this.#turn = undefined;
    const ending = error === undefined ? nothingMore : errorEvent(error.code, error.message);
    await this.#tell({ type: 'agent', event: ending });
  }

  async #hearSaid(message: MessageView): Promise<void> {
    if (this.#shown.isBehind(message)) return;
    this.#shown.saw(message);
    await this.#tellSaid(message);
  }

  async #tellSaid(message: MessageView): Promise<void> {
    const { role, text, author } = message;
    // A question stands here with keys that answer it.
    if (role === 'system' && isQuestionText(text)) return;
    if (role === 'system') return this.#tell({ type: 'note', text });
    if (role === 'assistant') {
      // All of it has been heard word by word, but for what was held back.
      if (message.silent || this.#beginning.isHeld) await this.#showPast(message);
      this.#beginning.release();
    } else if (!(await this.#isOwn(message)))
      await this.#tell({ type: 'said', text, by: author ?? 'somebody' });
  }

  /** The stream may be faster than the receipt of what was sent. */
  async #isOwn({ eventId, text }: MessageView): Promise<boolean> {
    const alike = [...this.#sending].filter((sent) => sent.text === text);
    await Promise.allSettled(alike.map(({ receipt }) => receipt));
    return eventId !== null && this.#taken.delete(eventId);
  }

  /** Tells what was said and not heard. */
  async #catchUp(): Promise<void> {
    for await (const message of this.#shown.unseen(this.#client, this.#channel))
      if (message.role === 'user') await this.#tellSaid(message);
      else await this.#showPast(message);
  }

  /** The stream goes on behind the turn that runs, so nothing is heard of its end. */
  async #reset(): Promise<void> {
    if (this.#turn !== undefined) await this.#tell({ type: 'agent', event: nothingMore });
    this.#turn = undefined;
    this.#beginning.release();
    if (await this.#shown.find(this.#client, this.#channel))
      await this.#tell({ type: 'note', text: countsAnew, warning: true });
    await this.#catchUp();
  }

  async #showPast(message: MessageView): Promise<void> {
    const { role, text, author, silent } = message;
    this.#shown.saw(message);
    if (silent) await this.#tell({ type: 'note', text: nothingToSay });
    else if (role === 'assistant') await this.#tell({ type: 'answered', text });
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
      const { id, tool, input, options, always, preview } = whole;
      const leads =
        preview?.type === 'edit'
          ? preview.files.flatMap(({ leadsTo, ...file }) =>
              leadsTo === undefined ? [] : [{ ...file, leadsTo }],
            )
          : [];
      const event: AskedRequest = { type: 'permission_request', id, tool, input, options, leads };
      await this.#tell({ type: 'agent', event: always === undefined ? event : { ...event, always } });
    }
  }

  async #send(text: string, queueMode: 'queue' | 'steer') {
    const say = (line: string) => void this.#tell({ type: 'note', text: line, warning: true });
    const receipt = sendSurely(
      this.#client,
      this.#channel,
      { text, messageId: randomUUID(), queueMode },
      { signal: this.#left.signal, wasThere: true, say },
    );
    const sent = { text, receipt };
    this.#sending.add(sent);
    try {
      const { eventId } = await receipt;
      this.#taken.add(eventId);
      return { eventId };
    } finally {
      this.#sending.delete(sent);
    }
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

/** With a blank in front the gateway takes no text for a command of its own. */
function asPrompt(text: string): string {
  return parseCommand(text) === undefined ? text : ` ${text}`;
}

const nothingMore = { type: 'complete', text: '', sessionId: '', stopReason: 'end_turn' } as const;
