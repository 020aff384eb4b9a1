import { checkCommands } from '../../limits/command-limits.js';
import type { Parts } from '../../parts.js';
import { ApiError, missingAccess } from '../api-error.js';
import type { Answer, Call, Route } from '../route.js';

export function applicationRoutes(parts: Parts): Route[] {
  const { world, wire, interactions } = parts;
  const application = () => ({
    id: world.bot.id,
    name: world.bot.name,
    description: '',
    // Its limited message content intent, which bots in few guilds have.
    flags: parts.gateway.allowed.messageContent ? 1 << 19 : 0,
    bot_public: true,
  });
  return [
    {
      name: 'GET /gateway/bot',
      run: () => ({
        json: {
          url: parts.gatewayUrl(),
          shards: 1,
          session_start_limit: {
            total: 1000,
            remaining: 1000 - parts.gateway.identifies,
            reset_after: 86_400_000,
            max_concurrency: 1,
          },
        },
      }),
    },
    {
      name: 'GET /users/@me/guilds',
      run: () => ({ json: [...world.guilds.values()].map(({ id, name }) => ({ id, name, owner: false })) }),
    },
    { name: 'GET /users/@me', run: () => ({ json: wire.user(world.bot) }) },
    {
      name: 'GET /users/:user',
      run(call) {
        const user = world.users.get(call.parameter('user'));
        if (!user) throw new ApiError(404, 10013, 'Unknown User');
        return { json: wire.user(user) };
      },
    },
    { name: 'GET /applications/@me', run: () => ({ json: application() }) },
    { name: 'GET /oauth2/applications/@me', run: () => ({ json: application() }) },
    {
      name: 'GET /applications/:application/commands',
      run: () => ({ json: interactions.commandsOf(undefined) }),
    },
    { name: 'PUT /applications/:application/commands', run: (call) => register(parts, call, undefined) },
    {
      name: 'GET /applications/:application/guilds/:guild/commands',
      run: (call) => ({ json: interactions.commandsOf(call.parameter('guild')) }),
    },
    {
      name: 'PUT /applications/:application/guilds/:guild/commands',
      run(call) {
        if (!world.guilds.has(call.parameter('guild'))) throw missingAccess();
        return register(parts, call, call.parameter('guild'));
      },
    },
  ];
}

/** Replaces all commands. */
function register(
  { world, violations, interactions }: Parts,
  call: Call,
  guildId: string | undefined,
): Answer {
  if (call.parameter('application') !== world.bot.id) throw missingAccess();
  return { json: interactions.register(checkCommands(call.body, violations), guildId) };
}
