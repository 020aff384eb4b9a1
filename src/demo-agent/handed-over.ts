import type { PastTurn } from './step.js';

export interface HandedOver {
  /** The turns with another agent that Turnout's gateway has told of in front of the prompt. */
  readonly turns: readonly PastTurn[];
  /** The user's own words. */
  readonly prompt: string;
}

/** Reads a prompt as a model would: what was said before is known, and the last part is what is asked. */
export function readHandedOver(written: string): HandedOver {
  const { turns, prompt } = readSaid(written);
  return { turns, prompt: prompt.replace(/^\(This message comes from a schedule: [^\n]*\)\n\n/, '') };
}

function readSaid(prompt: string): HandedOver {
  const [, mark] = opening.exec(prompt) ?? [];
  if (mark === undefined) return { turns: [], prompt };
  const [before = '', ...rest] = prompt.split(`\n</conversation_so_far${mark}>\n`);
  const own = rest.join(`\n</conversation_so_far${mark}>\n`).split('\n').slice(2).join('\n');
  const message = new RegExp(`<message${mark} from="([^"\n]*)"[^>\n]*>\n([^]*?)\n</message${mark}>`, 'g');
  const said = [...before.matchAll(message)].map(([, from = '', text = '']) => ({ from, text }));
  const turns = said.flatMap(({ from, text }, index) => {
    const next = said[index + 1];
    return from === 'user'
      ? [{ prompt: text, answer: next?.from.startsWith('assistant') ? next.text : '' }]
      : [];
  });
  return { turns, prompt: own };
}

const opening =
  /^This conversation has a part that you have not seen\.[^\n]*\n(?:\([^\n]*\)\n)*<conversation_so_far((?:-\d+)?)>\n/;
