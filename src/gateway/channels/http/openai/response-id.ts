/** A response is known by the event that it answers. */
export function responseId(eventId: string): string {
  return `resp_${eventId}`;
}

/** Undefined if it is no response's id. */
export function eventIdOf(id: string): string | undefined {
  return id.startsWith('resp_') ? id.slice('resp_'.length) : undefined;
}
