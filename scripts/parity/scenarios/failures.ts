import type { StatusReply } from '../../../src/lab/model/script.js';
import type { ParityScenario } from '../scenario.js';

export const failures: readonly ParityScenario[] = [
  failing('api-401', 'A rejected key, then a good turn', { status: 401, message: 'bad key' }),
  failing('api-429', 'A rate limit, then a good turn', { status: 429, message: 'slow down' }),
];

function failing(id: string, title: string, reply: StatusReply): ParityScenario {
  return {
    id,
    title,
    async run(stage) {
      stage.model.use([reply]);
      const conversation = await stage.open();
      await conversation.turn('Try.');
      stage.check('requests that the model got', stage.model.turns.length);
      stage.model.use(['It works again.']);
      await conversation.turn('Try again.');
      stage.checkConversation();
    },
  };
}
