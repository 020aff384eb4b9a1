import type { ChatEvent, PermissionRequestEvent } from '../../core/chat-event.js';

type Ask = (request: PermissionRequestEvent, withdrawn: AbortSignal) => Promise<void>;

/** The questions that a person is being asked. One that is settled elsewhere is withdrawn with the reason. */
export class OpenQuestions {
  readonly #ask: Ask;
  readonly #open = new Map<string, { readonly withdraw: AbortController; readonly asked: Promise<void> }>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async see(event: ChatEvent): Promise<void> {
    switch (event.type) {
      case 'permission_request':
        this.#begin(event);
        break;
      case 'permission_resolved':
        await this.#withdraw(event.id, event.message ?? 'the agent no longer waits for an answer');
        break;
      case 'complete':
        await this.withdrawAll('the turn is over');
        break;
      case 'error':
        await this.withdrawAll(event.message);
        break;
    }
  }

  async withdrawAll(why: string): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#withdraw(id, why)));
  }

  #begin(request: PermissionRequestEvent): void {
    const withdraw = new AbortController();
    const asked = this.#ask(request, withdraw.signal).finally(() => this.#open.delete(request.id));
    this.#open.set(request.id, { withdraw, asked });
  }

  async #withdraw(id: string, why: string): Promise<void> {
    const question = this.#open.get(id);
    this.#open.delete(id);
    question?.withdraw.abort(why);
    await question?.asked;
  }
}
