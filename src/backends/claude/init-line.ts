import { type JsonObject, parseObject } from '../output/json.js';
import { text } from '../output/read-fields.js';

/**
 * Each turn of a live process begins with the same line of some 3 KB, which only at its end has ids of the turn's own. What
 * comes before them is parsed when it has changed.
 */
export class InitLine {
  #beginning: string | undefined;
  #message: JsonObject | undefined;

  /** Undefined: it is another line, or one that has to be parsed whole. */
  read(raw: string): JsonObject | undefined {
    if (!raw.startsWith(init) || !raw.endsWith('}')) return undefined;
    if (this.#beginning === undefined || !raw.startsWith(this.#beginning)) this.#learn(raw);
    return this.#message;
  }

  #learn(raw: string): void {
    const end = raw.indexOf(ownId);
    const message = end === -1 ? undefined : parseObject(`${raw.slice(0, end)}}`);
    const whole =
      message !== undefined &&
      text(message['session_id']) !== '' &&
      text(message['model']) !== '' &&
      !raw.includes('"capabilities":', end);
    // Up to the id, or a line with one field more before it would pass for the same. Copied: a slice would keep the
    // whole batch of lines in memory.
    this.#beginning = whole ? Buffer.from(raw.slice(0, end + ownId.length)).toString() : undefined;
    this.#message = whole ? message : undefined;
  }
}

const init = '{"type":"system","subtype":"init",';
const ownId = ',"uuid":"';
