import { setTimeout as sleep } from 'node:timers/promises';
import { type MortalGateway, token } from './mortal-gateway.js';

export interface EventView {
  readonly eventId: string;
  readonly state: string;
  readonly responseText?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface MessageView {
  readonly id: string;
  readonly eventId: string | null;
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
}

export interface PermissionView {
  readonly id: string;
  readonly eventId: string;
}

/**
 * A client as a careful program writes it: a request without an answer is sent again, with the same
 * Idempotency-Key.
 */
export class PersistentClient {
  readonly #gateway: MortalGateway;
  /** The number of requests that were sent again. */
  repeats = 0;

  constructor(gateway: MortalGateway) {
    this.#gateway = gateway;
  }

  /** Resolves to the event's id when the message is acknowledged. */
  async post(channel: string, text: string, key: string): Promise<string> {
    const { eventId } = await this.#request<EventView>(`/v1/channels/${channel}/messages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ text }),
    });
    return eventId;
  }

  event(eventId: string): Promise<EventView> {
    return this.#request<EventView>(`/v1/events/${eventId}`);
  }

  async ended(eventId: string): Promise<EventView> {
    for (;;) {
      const event = await this.#request<EventView>(`/v1/events/${eventId}?wait=5`);
      if (event.state !== 'queued' && event.state !== 'running') return event;
    }
  }

  async messages(channel: string): Promise<readonly MessageView[]> {
    const all: MessageView[] = [];
    for (let after: string | undefined = '0'; after !== undefined; ) {
      const page: { messages: MessageView[]; next?: string } = await this.#request(
        `/v1/channels/${channel}/messages?limit=500&after=${after}`,
      );
      all.push(...page.messages);
      after = page.next;
    }
    return all;
  }

  async permissions(): Promise<readonly PermissionView[]> {
    return (await this.#request<{ permissions: PermissionView[] }>('/v1/permissions')).permissions;
  }

  /**
   * 404 and 409 are no failure: another client, or a request of ours whose answer was lost, may have been
   * faster.
   */
  async allow(permission: string): Promise<void> {
    const body = JSON.stringify({ decision: 'allow' });
    const headers = { 'Content-Type': 'application/json' };
    await this.#request(`/v1/permissions/${permission}`, { method: 'POST', headers, body }, [404, 409]);
  }

  /** Reads the gauges of `/metrics`, by name and labels as they are written there. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const page = await this.#send('/metrics', {});
    const text = await page.text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))] as const;
      }),
    );
  }

  async #request<T>(path: string, init: RequestInit = {}, alsoFine: readonly number[] = []): Promise<T> {
    for (;;) {
      try {
        const response = await this.#send(path, init);
        const body = await response.text();
        if (response.ok || alsoFine.includes(response.status)) return JSON.parse(body) as T;
        if (response.status !== 503) throw new Refusal(`${path}: ${response.status} ${body}`);
      } catch (error) {
        if (error instanceof Refusal || this.#gateway.fault !== undefined) throw error;
      }
      this.repeats++;
      await sleep(20);
    }
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const address = await this.#gateway.address();
    return fetch(`${address}${path}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(30_000),
    });
  }
}

class Refusal extends Error {}
