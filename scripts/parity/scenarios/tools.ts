import type { ParityScenario } from '../scenario.js';

export const tools: readonly ParityScenario[] = [
  {
    id: 'tool',
    title: 'A tool between two remarks: name, input, output, its effect on disk',
    async run(stage) {
      stage.model.use([
        { steps: [{ text: 'Let me look.' }, { shell: 'echo made > made.txt && echo visible' }] },
        'All done.',
      ]);
      const conversation = await stage.open();
      await conversation.turn('Make the file.');
      await stage.checkFile('made.txt');
      stage.checkConversation();
    },
  },
  {
    id: 'failing-tool',
    title: 'A tool that fails',
    async run(stage) {
      stage.model.use([{ steps: [{ shell: 'echo partly; exit 3' }] }, 'It failed.']);
      const conversation = await stage.open();
      await conversation.turn('Try it.');
      stage.checkConversation();
    },
  },
  {
    id: 'two-tools',
    title: 'Two tools in one message',
    async run(stage) {
      // Claude runs them side by side: the second one takes its time, so that the order is no accident.
      stage.model.use([
        { steps: [{ shell: 'echo first' }, { shell: 'sleep 0.5; echo second' }] },
        'Both ran.',
      ]);
      const conversation = await stage.open();
      await conversation.turn('Run both.');
      stage.checkConversation();
    },
  },
  {
    id: 'write-file',
    title: 'A file written with the CLI’s own file tool',
    async run(stage) {
      stage.model.use([
        { steps: [{ writeFile: { path: stage.path('note.txt'), content: 'a note\n' } }] },
        'Written.',
      ]);
      const conversation = await stage.open();
      await conversation.turn('Write the note.');
      await stage.checkFile('note.txt');
    },
  },
];
