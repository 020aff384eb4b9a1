import type { ErrorCode } from '../../core/chat-event.js';

/**
 * What a person can do about a failure, in the terms of one vendor. A CLI names commands of its own user interface
 * ("Please run /login"), which can't be typed here.
 */
export interface Advice {
  readonly signIn: string;
}

/** Finds the advice for a failure, if there is any. */
export function adviceFor(code: ErrorCode, words: string, advice: Advice | undefined): string | undefined {
  if (code === 'auth') return advice?.signIn;
  if (code === 'rate_limit') return limitAdvice(words);
  if (code === 'session_not_found') return otherSession;
  if (code !== 'bad_request') return undefined;
  if (contextIsFull.test(words)) return startAnew;
  return unknownModel.test(words) ? otherModel : undefined;
}

function limitAdvice(words: string): string | undefined {
  if (isOutOfCredit(words)) return addCredit;
  return isDailyQuota(words) ? waitForTomorrow : undefined;
}

/** True if the words say that money is missing: to wait does not help then. */
export function isOutOfCredit(words: string): boolean {
  return outOfCredit.test(words);
}

/** True if the words say that a day's quota is used up. Seen with Gemini: "You have exhausted your daily quota on this model". */
export function isDailyQuota(words: string): boolean {
  return /exhausted your daily quota/i.test(words);
}

// Seen: "Credit balance is too low" (Claude Code), "Quota exceeded. Check your plan and billing details." (Codex),
// "You exceeded your current quota, please check your plan and billing details" (OpenAI), "Insufficient credits" (OpenRouter).
const outOfCredit =
  /credit balance is too low|insufficient[ _](credits?|quota|balance|funds)|quota exceeded\. check your plan and billing|out of credits|payment required/i;
const contextIsFull =
  /prompt is too long|context (window|length|exceeds)|context_length_exceeded|input token count|ran out of room|maximum (number of )?tokens allowed/i;
const unknownModel =
  /issue with the selected model|model[^.]{0,60}(not (found|exist|supported)|does not exist)|model_not_found|ModelNotFound/i;

const otherSession = '`turnout sessions` lists the sessions of this directory.';
const addCredit =
  'The account has no credit left: add some, or choose another account or model. To wait does not help.';
const waitForTomorrow =
  'The quota of the day is used up: choose another model or account, or wait for tomorrow.';
const startAnew =
  'What is sent does not fit the model: begin a new session (`/new` in a chat), send less, or choose a model with a larger context.';
const otherModel =
  'Choose a model that the account has, with `--model`, BACKEND_MODEL, or `/model` in a chat.';
