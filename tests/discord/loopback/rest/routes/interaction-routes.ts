import type { Interaction } from '../../interactions.js';
import type { Parts } from '../../parts.js';
import { deleteMessage, editMessage, sendMessage } from '../../send-message.js';
import type { Json, Message } from '../../state/world.js';
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
  const hook = { limit: webhookLimit, open: true } as const;
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
        if (interaction.state === 'deferred') return { json: wire.message(answer(parts, interaction, call)) };
        return { json: wire.message(followUp(parts, interaction, call)) };
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
        if (
          call.parameter('message') === '@original' &&
          interaction.state === 'deferred' &&
          !interaction.original
        ) {
          return { json: wire.message(answer(parts, interaction, call)) };
        }
        const message = messageOf(call);
        editMessage(parts, message, call);
        interaction.state = 'answered';
        return { json: wire.message(message) };
      },
    },
    {
      ...hook,
      name: 'DELETE /webhooks/:application/:token/messages/:message',
      run(call) {
        const interaction = interactionOf(call);
        const deferred = call.parameter('message') === '@original' && interaction.state === 'deferred';
        if (!deferred || interaction.original) deleteMessage(parts, messageOf(call));
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
    answer(parts, interaction, content);
  } else if (type === callbacks.deferredMessage) {
    interaction.state = 'deferred';
    interaction.ephemeral = isEphemeral(data);
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

function answer(parts: Parts, interaction: Interaction, call: Pick<Call, 'body' | 'files'>): Message {
  // Whether a deferred answer is only for its person was said as it was deferred.
  if (interaction.state === 'open') interaction.ephemeral = isEphemeral(call.body);
  interaction.original = say(parts, interaction, call, interaction.ephemeral);
  interaction.state = 'answered';
  return interaction.original;
}

function followUp(parts: Parts, interaction: Interaction, call: Call): Message {
  return say(parts, interaction, call, isEphemeral(call.body));
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
