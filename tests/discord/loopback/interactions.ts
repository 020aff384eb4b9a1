import { randomUUID } from 'node:crypto';
import type { Command } from './limits/command-limits.js';
import { ApiError } from './rest/api-error.js';
import type { MovableClock } from './state/clock.js';
import type { Violations } from './state/violations.js';
import type { Channel, Json, Message, User } from './state/world.js';

/**
 * A click or a command of somebody. It goes from `open` to `deferred` or `answered` within 3 seconds, and from `deferred` to
 * `answered` within 15 minutes; people see "The application did not respond" otherwise.
 */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly user: User;
  readonly channel: Channel;
  readonly createdAt: number;
  /** The message with the button that was clicked. */
  readonly clicked?: Message;
  state: 'open' | 'deferred' | 'answered';
  /** How long it took until the client answered or deferred, by the loopback Discord's clock. */
  acknowledgedAfter?: number;
  /** Only its person sees the answer. */
  ephemeral: boolean;
  /** What `@original` is. */
  original?: Message;
  readonly answers: Message[];
}

const timeToAcknowledge = 3000;
const lifeOfToken = 15 * 60_000;

export class Interactions {
  readonly all: Interaction[] = [];
  /** Commands by guild; those for all guilds have none. */
  readonly #commands = new Map<string | undefined, readonly Json[]>();

  constructor(
    private readonly clock: MovableClock,
    private readonly violations: Violations,
  ) {}

  register(commands: readonly Command[], guildId: string | undefined): readonly Json[] {
    const registered = commands.map((command) => ({
      type: 1,
      ...command,
      id: this.clock.nextId(),
      version: '1',
    }));
    this.#commands.set(guildId, registered);
    return registered;
  }

  commandsOf(guildId: string | undefined): readonly Json[] {
    return this.#commands.get(guildId) ?? [];
  }

  add(user: User, channel: Channel, clicked?: Message): Interaction {
    const interaction: Interaction = {
      id: this.clock.nextId(),
      token: randomUUID(),
      user,
      channel,
      createdAt: this.clock.now(),
      ...(clicked && { clicked }),
      state: 'open',
      ephemeral: false,
      answers: [],
    };
    this.all.push(interaction);
    return interaction;
  }

  /** The interaction that a callback answers, if it still can. */
  toAcknowledge(id: string, token: string): Interaction {
    const interaction = this.all.find((one) => one.id === id && one.token === token);
    const age = interaction ? this.clock.now() - interaction.createdAt : 0;
    if (!interaction || (interaction.state === 'open' && age > timeToAcknowledge)) {
      this.violations.record('interaction', interaction ? `acknowledged after ${age} ms` : `unknown: ${id}`);
      throw new ApiError(404, 10062, 'Unknown interaction');
    }
    if (interaction.state !== 'open') {
      this.violations.record('interaction', `${id} acknowledged twice`);
      throw new ApiError(400, 40060, 'Interaction has already been acknowledged.');
    }
    interaction.acknowledgedAfter = age;
    return interaction;
  }

  /** The interaction to whose token more is said. */
  toFollowUp(token: string): Interaction {
    const interaction = this.all.find((one) => one.token === token);
    if (!interaction || interaction.state === 'open') {
      this.violations.record('interaction', 'a follow-up before the interaction was acknowledged');
      throw new ApiError(404, 10015, 'Unknown Webhook');
    }
    if (this.clock.now() - interaction.createdAt > lifeOfToken) {
      this.violations.record('interaction', `the token of ${interaction.id} is older than 15 minutes`);
      throw new ApiError(401, 50027, 'Invalid Webhook Token');
    }
    return interaction;
  }

  /** Those that nobody has acknowledged in time, or answered after they were deferred. */
  unanswered(): Interaction[] {
    return this.all.filter(({ state, createdAt }) => {
      const age = this.clock.now() - createdAt;
      return (state === 'open' && age > timeToAcknowledge) || (state === 'deferred' && age > lifeOfToken);
    });
  }
}
