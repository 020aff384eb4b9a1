import { setTimeout as sleep } from 'node:timers/promises';
import type { TextStep, ThinkingStep } from '../../../src/lab/model/script.js';
import type { ParityScenario } from '../scenario.js';
import type { Stage } from '../stage.js';

export const interrupts: readonly ParityScenario[] = [
  interrupting('interrupted-text', 'An interrupt while the model writes, then a good turn', {
    text: ['One, ', 'two, '],
  }),
  interrupting('interrupted-thinking', 'An interrupt while the model thinks, then a good turn', {
    thinking: ['One, ', 'two, '],
  }),
  {
    id: 'interrupted-tool',
    title: 'An interrupt while a tool runs, which ends the tool, then a good turn',
    async run(stage) {
      stage.model.use([{ steps: [{ shell: 'echo $$ > pid.txt; sleep 300' }] }]);
      const conversation = await stage.open();
      const running = Promise.all([stage.seen(({ type }) => type === 'tool'), stage.written('pid.txt')]);
      await stage.interruptedTurn(conversation, 'Sleep.', running);
      stage.model.use(['Awake.']);
      await conversation.turn('Wake up.');
      stage.check('the tool still runs', await outlives(stage));
    },
  },
];

function interrupting(id: string, title: string, pieces: TextStep | ThinkingStep): ParityScenario {
  return {
    id,
    title,
    async run(stage) {
      stage.model.use([{ steps: [pieces, { hang: true }] }]);
      const conversation = await stage.open();
      await stage.interruptedTurn(conversation, 'Count.', stage.streamed('two, '));
      stage.model.use(['Here I am.']);
      await conversation.turn('Are you there?');
      stage.checkConversation();
    },
  };
}

/** Whoever ends a tool may take a moment for it. */
async function outlives(stage: Stage): Promise<boolean> {
  const pid = Number(await stage.written('pid.txt'));
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      process.kill(pid, 0);
    } catch {
      return false;
    }
    await sleep(100);
  }
  return true;
}
