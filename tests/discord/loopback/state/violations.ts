/** Something that Discord forbids, or that it answers with an error, and that a good client never does. */
export interface Violation {
  readonly rule: Rule;
  readonly detail: string;
}

export type Rule =
  | 'allowed-mentions'
  | 'component'
  | 'command'
  | 'embed'
  | 'empty-message'
  | 'file-size'
  | 'gateway'
  | 'heartbeat'
  | 'interaction'
  | 'invalid-text'
  | 'malformed'
  | 'message-length'
  | 'nonce'
  | 'not-ours'
  | 'rate-limit'
  | 'token'
  | 'unknown-route';

export class Violations {
  readonly list: Violation[] = [];

  record(rule: Rule, detail: string): void {
    this.list.push({ rule, detail });
  }

  of(rule: Rule): Violation[] {
    return this.list.filter((violation) => violation.rule === rule);
  }
}
