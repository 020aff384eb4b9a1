/** A command of the gateway, as somebody chooses it from a list: the page loads this file. */
export interface ChatCommand {
  readonly name: string;
  /** What may stand behind its name; several words are several things. */
  readonly argument?: string;
  /** One line. */
  readonly summary: string;
  /** False for those that look at the queue or empty it: they can't wait in it. */
  readonly waits: boolean;
}

/** The commands of the gateway. Any other `/word` is a prompt. */
export const chatCommands = [
  { name: 'backend', argument: 'name', summary: 'Which CLI answers from here on', waits: true },
  { name: 'model', argument: 'name', summary: 'Which model it uses; default takes it back', waits: true },
  { name: 'thinking', argument: 'depth', summary: 'How deep it thinks; default takes it back', waits: true },
  { name: 'new', summary: 'A new conversation here; what was said stays in the archive', waits: true },
  { name: 'retry', summary: 'Run the last message again that was not answered', waits: true },
  { name: 'stop', summary: 'End the turn that runs', waits: false },
  { name: 'allow', argument: 'id', summary: 'Allow what the agent asks for', waits: false },
  { name: 'deny', argument: 'id reason', summary: 'Deny what the agent asks for', waits: false },
  { name: 'status', summary: 'Backend, model, session, directory, and what waits', waits: false },
  {
    name: 'queue',
    argument: 'clear|mode',
    summary: 'What waits; drop it; how messages meet a turn',
    waits: false,
  },
  { name: 'help', summary: 'The commands of the gateway', waits: false },
  { name: 'usage', summary: 'The tokens and the cost of this conversation', waits: true },
] as const satisfies readonly ChatCommand[];
