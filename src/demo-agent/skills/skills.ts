import { type Asked, command, type Skill, type Steps, say } from '../step.js';
import { fileSkills } from './files.js';
import { memorySkills } from './memory.js';
import { paceSkills } from './pace.js';
import { answerAnythingElse, talkSkills } from './talk.js';
import { tourSkill } from './tour.js';
import { troubleSkills } from './trouble.js';
import { workSkills } from './work.js';

const helpSkill: Skill = {
  name: 'help',
  example: 'help',
  about: 'lists what the demo agent can do',
  pattern: command(
    'help\\b|what (?:else )?can you do|what do you do\\b|what are your skills|show me what you can do',
  ),
  act: () => say(describeSkills()),
};

/** The first skill whose words are in the prompt acts; those that take a text literally come first. */
export const skills: readonly Skill[] = [
  ...paceSkills,
  ...memorySkills,
  ...troubleSkills,
  helpSkill,
  tourSkill,
  ...workSkills,
  ...fileSkills,
  ...talkSkills,
];

export async function* actOn(asked: Asked): Steps {
  yield* answer(asked);
  const marker = completionMarker(asked);
  if (marker !== undefined) yield* say(`\n\n${marker}\n`);
}

/** In a chain the system prompt has a line that an agent prints when it is done. A prompt with "not yet" is never done. */
function completionMarker({ systemPrompt, prompt }: Asked): string | undefined {
  if (/\bnot yet\b/i.test(prompt.slice(0, headChars))) return undefined;
  return /^ORCHESTRA_COMPLETE(?::\w+)?$/m.exec(systemPrompt)?.[0];
}

function answer(asked: Asked): Steps {
  const prompt = asked.prompt.replace(leadingSymbols, '');
  const head = prompt.slice(0, headChars);
  for (const skill of skills) {
    const words = skill.pattern.exec(head);
    if (words !== null) return skill.act({ ...asked, prompt }, words);
  }
  return answerAnythingElse(asked);
}

/** Once for all skills: in each of their patterns the classes of letters take longer to compile than all the rest. */
const leadingSymbols = /^[^\p{L}\p{N}/(.-]*/u;

/** Only the prompt's first characters are searched: commands stand there, and a prompt can be megabytes. */
const headChars = 2000;

function describeSkills(): string {
  const list = skills.map((skill) => `- \`${skill.example}\` ${skill.about}`);
  return `I am Turnout's demo agent. Ask me in plain words:\n\n${list.join('\n')}\n`;
}
