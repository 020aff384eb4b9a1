import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../../../web/feed/split-answer.js';
import type { Step } from '../../../../web/feed/turn.js';

const text = (said: string): Step => ({ type: 'text', text: said });
const tool: Step = { type: 'tool', id: 't', name: 'Read', input: {} };
const steering: Step = { type: 'steering', eventId: 'e2', message: 'be quick' };

describe('an answer and the steps of its turn (16.4)', () => {
  it('is what was said behind the last tool', () => {
    const steps = [text('I look.'), tool, text('Done.')];
    expect(splitAnswer(steps, 'Done.')).toEqual({ steps: [text('I look.'), tool], isWhole: false });
  });

  it('stays in its parts if a message came in between them', () => {
    const steps = [tool, text('1 2 '), steering, text('3')];
    expect(splitAnswer(steps, '1 2\n\n3')).toEqual({ steps, isWhole: true });
  });

  it('stays in its parts if the agent used a tool for the message, and said more than the answer', () => {
    const steps = [text('One.\n\n'), steering, text('I look.'), tool, text('Two.')];
    expect(splitAnswer(steps, 'One.\n\nTwo.')).toEqual({ steps, isWhole: true });
    const both = [text('One.\n\n'), steering, text('I look.'), tool, text('Two.')];
    expect(splitAnswer(both, 'One.\n\nI look.\n\nTwo.')).toEqual({ steps: both, isWhole: true });
  });

  it('is what was said behind the message, where the agent says so', () => {
    const steps = [text('1 2'), steering, text('Hurried.')];
    expect(splitAnswer(steps, 'Hurried.')).toEqual({ steps: [text('1 2'), steering], isWhole: false });
  });

  it('is shown once if the steps tell it otherwise', () => {
    const steps = [text('1 2'), steering, text('Hur')];
    expect(splitAnswer(steps, 'Hurried.')).toEqual({ steps: [steering], isWhole: false });
  });
});
