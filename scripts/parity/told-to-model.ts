import type { Message, ModelRequest, Part } from '../../src/lab/model/request.js';

/** The conversation in a request: who said what. Instructions and context, which the CLI adds, are left out. */
export function conversationIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .flatMap((message) => message.parts.flatMap((part) => lineOf(message, part)));
}

function lineOf({ role }: Message, part: Part): readonly string[] {
  switch (part.type) {
    case 'text':
      return context.test(part.text) ? [] : [`${role}: ${part.text}`];
    case 'tool_call':
      return [`${role} calls ${part.name}`];
    case 'tool_result':
      return [`output: ${part.output.replace(/Wall time [\d.]+ seconds/, 'Wall time')}`];
    default:
      return [];
  }
}

const context = /^\s*(<|# AGENTS\.md instructions)/;
