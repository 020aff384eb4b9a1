import { TurnoutError } from '../../core/errors.js';

/** A revert would lose what somebody has done to the file after the agent. With `force` it is done all the same. */
export class ChangedSince extends TurnoutError {
  override readonly name = 'ChangedSince';

  constructor(path: string) {
    super('bad_request', `${path} was changed after the agent was done with it: a revert would lose that.`, {
      hint: 'Send `"force": true` to put it back all the same.',
    });
  }
}

/** The file, or the change of it, is not what whoever wants it put back has looked at. `force` does not cover that. */
export class NotAsShown extends TurnoutError {
  override readonly name = 'NotAsShown';

  constructor(path: string) {
    super('bad_request', `${path} was changed after you have looked at it, and was left as it is.`, {
      hint: 'Load the changes anew.',
    });
  }
}
