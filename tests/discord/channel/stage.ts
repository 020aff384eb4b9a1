import { onTestFinished } from 'vitest';
import { type ClientSettings, openClient } from '../../../src/gateway/channels/discord/client/open-client.js';
import { type Client, type GatewayStage, setUpGateway } from '../../gateway/stage.js';
import { loopbackOptions } from '../loopback/connect-client.js';
import type { LoopbackDiscord, LoopbackOptions } from '../loopback/loopback-discord.js';
import { startDiscord } from '../loopback/stage.js';
import type { User } from '../loopback/state/world.js';

export interface BotStage {
  readonly discord: LoopbackDiscord;
  readonly stage: GatewayStage;
  /** She may speak. */
  readonly anna: User;
  /** A gateway on Discord, with the demo agent. It may be started again after it was stopped. */
  start(settings?: Readonly<Record<string, string>>): Promise<Client>;
}

type AtEnd = (end: () => Promise<void>) => void;

/** The loopback Discord and a gateway for it, which both end with the test. */
export async function setUpBot(
  { restTimeoutMs, ...options }: LoopbackOptions & { readonly restTimeoutMs?: number } = {},
  atEnd: AtEnd = onTestFinished,
): Promise<BotStage> {
  const discord = await startDiscord(options, atEnd);
  const stage = setUpGateway({}, undefined, atEnd);
  const anna = discord.people.join('anna');
  return {
    discord,
    stage,
    anna,
    start: (settings = {}) =>
      stage.start(
        {
          DISCORD_BOT_TOKEN: discord.token,
          DISCORD_API_URL: discord.apiUrl,
          DISCORD_ALLOWED_USERS: anna.id,
          ...settings,
        },
        undefined,
        { loadDiscord: async () => (given) => openClient(impatient(given, discord, restTimeoutMs)) },
      ),
  };
}

/** Without the waits that only the real Discord needs. */
function impatient(settings: ClientSettings, discord: LoopbackDiscord, timeout = 15_000): ClientSettings {
  const { rest, ws } = loopbackOptions(discord);
  return { ...settings, firstDelayMs: 20, options: { rest: { ...rest, timeout }, ...(ws && { ws }) } };
}
