/** Why Discord does not let the bot in, and what its owner can do about it. */
export interface FinalProblem {
  readonly code: number;
  readonly message: string;
  readonly hint: string;
}

const portal = 'https://discord.com/developers/applications';

/** Undefined if a new connection may help: the code of a closed socket tells. */
export function explainClosing(code: number): FinalProblem | undefined {
  const explained = reasons[code];
  return explained && { code, ...explained };
}

const reasons: Readonly<Record<number, Omit<FinalProblem, 'code'>>> = {
  4004: {
    message: 'Discord does not accept the token of the bot (4004).',
    hint: `Open ${portal}, choose the application, then "Bot" and "Reset Token", put the new one into DISCORD_BOT_TOKEN, and start the gateway again.`,
  },
  4010: {
    message: 'Discord does not accept the shard of the connection (4010).',
    hint: 'This is a mistake in Turnout: please report it.',
  },
  4011: {
    message: 'The bot is in so many servers that Discord wants several connections for it (4011).',
    hint: 'Turnout has one connection: use a bot of its own, in fewer servers.',
  },
  4012: {
    message: 'Discord does not speak version 10 of its interface any more (4012).',
    hint: 'Update Turnout.',
  },
  4013: {
    message: 'Discord does not know the events that Turnout asks for (4013).',
    hint: 'Update Turnout.',
  },
  4014: {
    message: 'Discord does not let the bot read messages: its message content intent is switched off (4014).',
    hint: `Open ${portal}, choose the application, then "Bot", and switch "Message Content Intent" on. Then start the gateway again.`,
  },
};
