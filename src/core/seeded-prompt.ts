/** A prompt that the gateway has put the earlier conversation in front of, read back. */
export interface SeededPrompt {
  /** What was said before, oldest first. */
  readonly said: readonly SaidBefore[];
  /** The user's own words. */
  readonly prompt: string;
}

export interface SaidBefore {
  readonly from: string;
  readonly text: string;
}

export const seedOpening =
  'This conversation has a part that you have not seen. What was said in it, for your information:';

export const seedClosing = 'The next message, which is for you:';

/** A prompt without a conversation in front of it is the user's own; of one whose end is missing nothing is. */
export function readSeededPrompt(prompt: string): SeededPrompt {
  if (!prompt.startsWith(`${seedOpening}\n`)) return { said: [], prompt };
  const [opening, mark] = /^<conversation_so_far((?:-\d+)?)>\n/m.exec(prompt) ?? [];
  if (opening === undefined || mark === undefined) return { said: [], prompt: '' };
  const end = `\n</conversation_so_far${mark}>\n${seedClosing}\n\n`;
  const from = prompt.indexOf(opening) + opening.length;
  const to = prompt.indexOf(end, from);
  if (to < 0) return { said: [], prompt: '' };
  const messages = prompt
    .slice(from, to)
    .matchAll(new RegExp(`<message${mark} from="([^"\n]*)"[^>\n]*>\n([^]*?)\n</message${mark}>`, 'g'));
  return {
    said: [...messages].map(([, speaker = '', text = '']) => ({ from: speaker, text })),
    prompt: prompt.slice(to + end.length),
  };
}
