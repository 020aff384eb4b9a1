import type { Reply } from '../../../src/lab/model/script.js';
import type { ParityScenario } from '../scenario.js';

export const answers: readonly ParityScenario[] = [
  answer('plain-answer', 'A plain answer: session id, text, usage, ending', ['Hello there.']),
  answer('text-pieces', 'Text in pieces, in order, with line ends and emoji', [
    { steps: [{ text: ['One, ', 'two\n', '\n👩‍👩‍👧 ', 'three', '.'] }] },
  ]),
  answer('thinking', 'Thinking before the answer', [
    { steps: [{ thinking: ['First ', 'this, ', 'then that.'] }, { text: ['The ', 'answer.'] }] },
  ]),
  answer('empty-answer', 'An answer without a word', [{ steps: [] }]),
];

function answer(id: string, title: string, script: readonly Reply[]): ParityScenario {
  return {
    id,
    title,
    async run(stage) {
      stage.model.use(script);
      const conversation = await stage.open();
      await conversation.turn('Say something.');
      stage.checkConversation();
    },
  };
}
