import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LabHome } from '../../src/lab/home.js';
import type { ScriptedModel } from '../../src/lab/model/server.js';
import type { Fact } from './facts.js';
import type { Conversation, OpenOptions, Side } from './side.js';
import { conversationIn } from './told-to-model.js';

/** Where one scenario is played through one side. Everything that happens is noted. */
export class Stage {
  readonly model: ScriptedModel;
  readonly facts: Fact[] = [];
  readonly #side: Side;
  readonly #home: LabHome;
  readonly #open = new Set<Conversation>();
  #noted: () => void = () => {};

  constructor(side: Side, model: ScriptedModel, home: LabHome) {
    this.#side = side;
    this.model = model;
    this.#home = home;
  }

  async open(options: Omit<OpenOptions, 'tell'> = {}): Promise<Conversation> {
    const conversation = await this.#side.open({ ...options, tell: (fact) => this.#note(fact) });
    this.#open.add(conversation);
    return conversation;
  }

  async close(conversation: Conversation): Promise<void> {
    this.#open.delete(conversation);
    await conversation.close();
  }

  async closeAll(): Promise<void> {
    for (const conversation of this.#open) await this.close(conversation);
  }

  /** A turn that is interrupted once this has happened. */
  async interruptedTurn(
    conversation: Conversation,
    prompt: string,
    happened: Promise<unknown>,
  ): Promise<void> {
    const turn = conversation.turn(prompt);
    await Promise.race([happened, turn]);
    await conversation.interrupt();
    await turn;
  }

  /** This piece has arrived. Where no pieces arrive: the model has sent it. */
  async streamed(piece: string): Promise<void> {
    if (this.#side.deltas) return this.seen((fact) => 'text' in fact && fact.text === piece);
    const request = await this.model.turn(1);
    while (request.outcome !== 'hanging') await sleep(10);
    await sleep(200);
  }

  async seen(wanted: (fact: Fact) => boolean): Promise<void> {
    while (!this.facts.some(wanted)) {
      await new Promise<void>((resolve) => {
        this.#noted = resolve;
      });
    }
  }

  path(name: string): string {
    return join(this.#home.workingDir, name);
  }

  /** The content of a file, once it has any. */
  async written(name: string): Promise<string> {
    for (;;) {
      const content = await readFile(this.path(name), 'utf8').catch(() => '');
      if (content !== '') return content;
      await sleep(10);
    }
  }

  /** The present content of a file. */
  async checkFile(name: string): Promise<void> {
    const content = await readFile(this.path(name), 'utf8').catch(() => 'not there');
    this.check(`the file ${name}`, content);
  }

  /** All that the model got with its last request, but for what the CLI itself adds. */
  checkConversation(): void {
    this.check('the conversation as the model has it', conversationIn(this.model.turns.at(-1)));
  }

  check(what: string, value: unknown): void {
    this.#note({ type: 'check', what, value });
  }

  #note(fact: Fact): void {
    this.facts.push(fact);
    this.#noted();
  }
}
