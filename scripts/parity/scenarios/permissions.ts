import type { ParityScenario } from '../scenario.js';
import type { Ask } from '../side.js';

const codexNeverAsks =
  'The SDK runs `codex exec`, in which nothing is ever asked; Turnout’s live sessions do ask (over the app-server).';
const live = 'A one-shot run can’t ask.';

export const permissions: readonly ParityScenario[] = [
  asking('permission-allowed', 'A tool that is asked about, and allowed', { decision: 'allow' }),
  asking('permission-denied', 'A tool that is asked about, and denied with a message', {
    decision: 'deny',
    message: 'Not on a Sunday.',
  }),
  asking('permission-always', 'A tool that is allowed once and for all is not asked about again', {
    decision: 'allow_always',
  }),
  {
    id: 'permission-interrupted',
    title: 'An interrupt while a question waits for its answer',
    notInSdk: { codex: codexNeverAsks },
    liveOnly: live,
    async run(stage) {
      stage.model.use([{ steps: [{ shell: 'touch interrupted.txt' }] }]);
      const conversation = await stage.open({ ask: { decision: 'never' } });
      const asked = stage.seen(({ type }) => type === 'question');
      await stage.interruptedTurn(conversation, 'Make the file.', asked);
      await stage.checkFile('interrupted.txt');
      stage.model.use(['Here I am.']);
      await conversation.turn('Are you there?');
      stage.checkConversation();
    },
  },
];

/** Twice the same command: the second time shows what the answer was worth. */
function asking(id: string, title: string, ask: Ask): ParityScenario {
  return {
    id,
    title,
    notInSdk: { codex: codexNeverAsks },
    liveOnly: live,
    async run(stage) {
      const conversation = await stage.open({ ask });
      for (const prompt of ['Make the file.', 'Once more.']) {
        stage.model.use([{ steps: [{ shell: `touch ${id}.txt` }] }, 'Tried.']);
        await conversation.turn(prompt);
        await stage.checkFile(`${id}.txt`);
      }
      if (ask.decision === 'allow_always') await stage.checkFile('.claude/settings.local.json');
      stage.checkConversation();
    },
  };
}
