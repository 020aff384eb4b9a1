import type { ParityScenario } from '../scenario.js';

export const sessions: readonly ParityScenario[] = [
  {
    id: 'three-turns',
    title: 'Three turns of one session: the id stays, the history grows',
    async run(stage) {
      const conversation = await stage.open();
      for (const number of ['first', 'second', 'third']) {
        stage.model.use([`The ${number} answer.`]);
        await conversation.turn(`The ${number} question.`);
      }
      stage.checkConversation();
    },
  },
  {
    id: 'resume',
    title: 'A session that was closed is resumed by its id, with its history',
    async run(stage) {
      stage.model.use(['The first answer.']);
      const before = await stage.open();
      await before.turn('The first question.');
      await stage.close(before);
      stage.model.use(['The second answer.']);
      const after = await stage.open({ sessionId: before.sessionId });
      await after.turn('The second question.');
      stage.checkConversation();
    },
  },
  {
    id: 'unknown-session',
    title: 'A session that does not exist',
    async run(stage) {
      stage.model.use(['This must not be an answer.']);
      const conversation = await stage.open({ sessionId: '11111111-1111-4111-8111-111111111111' });
      await conversation.turn('Go on.');
      stage.check('requests that the model got', stage.model.turns.length);
    },
  },
];
