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
