import type { Interaction } from '../../interactions.js';
import type { Parts } from '../../parts.js';
import {
  blankMessage,
  deleteMessage,
  editMessage,
  loadingFlag,
  postMessage,
  sendMessage,
} from '../../send-message.js';
import { type Json, type Message, messageTypes } from '../../state/world.js';
import { invalidForm, unknownMessage } from '../api-error.js';
import type { Answer, Call, Route } from '../route.js';

const callbacks = { message: 4, deferredMessage: 5, deferredUpdate: 6, update: 7, autocomplete: 8, modal: 9 };
const ephemeralFlag = 1 << 6;
const webhookLimit = { requests: 5, per: 2000 };

/** Answers to clicks and commands. Their tokens are all the authority that they need. */
export function interactionRoutes(parts: Parts): Route[] {
  const { interactions, wire } = parts;
  const interactionOf = (call: Call) => interactions.toFollowUp(call.parameter('token'));
  const messageOf = (call: Call) => answerOf(interactionOf(call), call.parameter('message'));
  const hook = { limit: webhookLimit, major: 'token', open: true } as const;
  return [
    {
      name: 'POST /interactions/:interaction/:token/callback',
      open: true,
      run: (call) => acknowledge(parts, call),
    },
    {
      ...hook,
      name: 'POST /webhooks/:application/:token',
      run(call) {
        const interaction = interactionOf(call);
        // The first one after a deferral is the answer that was promised.
        if (interaction.state === 'deferred')
          return { json: wire.message(keepPromise(parts, interaction, call)) };
        return { json: wire.message(say(parts, interaction, call, isEphemeral(call.body))) };
      },
    },
    {
      ...hook,
      name: 'GET /webhooks/:application/:token/messages/:message',
      run: (call) => ({ json: wire.message(messageOf(call)) }),
    },
    {
      ...hook,
      name: 'PATCH /webhooks/:application/:token/messages/:message',
      run(call) {
        const interaction = interactionOf(call);
        const message = answerOf(interaction, call.parameter('message'));
        if (message === interaction.original)
          return { json: wire.message(keepPromise(parts, interaction, call)) };
        editMessage(parts, message, call);
        return { json: wire.message(message) };
      },
    },
    {
      ...hook,
      name: 'DELETE /webhooks/:application/:token/messages/:message',
      run(call) {
        const interaction = interactionOf(call);
        deleteMessage(parts, answerOf(interaction, call.parameter('message')));
        interaction.state = 'answered';
        return undefined;
      },
    },
  ];
}

function acknowledge(parts: Parts, call: Call): Answer {
  const interaction = parts.interactions.toAcknowledge(
    call.parameter('interaction'),
    call.parameter('token'),
  );
  const { type } = call.body;
  const data = (call.body['data'] ?? {}) as Json;
  const content = { body: data, files: call.files };
  if (type === callbacks.message) {
    interaction.ephemeral = isEphemeral(data);
    interaction.original = say(parts, interaction, content, interaction.ephemeral);
    interaction.state = 'answered';
  } else if (type === callbacks.deferredMessage) {
    interaction.ephemeral = isEphemeral(data);
    interaction.original = promise(parts, interaction);
    interaction.state = 'deferred';
  } else if ((type === callbacks.deferredUpdate || type === callbacks.update) && interaction.clicked) {
    if (type === callbacks.update) editMessage(parts, interaction.clicked, content);
    interaction.original = interaction.clicked;
    interaction.state = 'answered';
  } else if (type === callbacks.autocomplete || type === callbacks.modal) {
    interaction.state = 'answered';
  } else {
    parts.violations.record('interaction', `callback of type ${type}`);
    throw invalidForm('type', 'BASE_TYPE_CHOICES', `Value must not be ${type}.`);
  }
  if (call.query.get('with_response') !== 'true') return undefined;
  const { original, id } = interaction;
  const resource = { type, ...(original && { message: parts.wire.message(original) }) };
  return { json: { interaction: { id, type: interaction.clicked ? 3 : 2 }, resource } };
}

/** A deferred answer has its place in the channel at once. Whether only its person sees it can't be changed later. */
function promise(parts: Parts, interaction: Interaction): Message {
  const { id, user, channel, ephemeral } = interaction;
  const message: Message = {
    ...blankMessage(parts, channel, parts.world.bot),
    type: messageTypes.command,
    flags: loadingFlag | (ephemeral ? ephemeralFlag : 0),
    interaction: { id, userId: user.id, ephemeral },
  };
  postMessage(parts, message);
  return message;
}

function keepPromise(parts: Parts, interaction: Interaction, call: Pick<Call, 'body' | 'files'>): Message {
  const message = answerOf(interaction, '@original');
  editMessage(parts, message, call);
  interaction.state = 'answered';
  return message;
}

function say(
  parts: Parts,
  interaction: Interaction,
  call: Pick<Call, 'body' | 'files'>,
  ephemeral: boolean,
): Message {
  const reason = { id: interaction.id, userId: interaction.user.id, ephemeral };
  const message = sendMessage(parts, interaction.channel, call, reason);
  interaction.answers.push(message);
  return message;
}

function answerOf(interaction: Interaction, id: string): Message {
  const { original, answers } = interaction;
  const message = id === '@original' ? original : [...answers, original].find((one) => one?.id === id);
  if (!message || message.deleted) throw unknownMessage();
  return message;
}

function isEphemeral(data: Json): boolean {
  return (Number(data['flags'] ?? 0) & ephemeralFlag) !== 0;
}
