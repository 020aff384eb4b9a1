/**
 * What goes wrong with a request. With `commit`, Discord has done what was asked, and the client doesn't hear of it: a message
 * that is sent again is there twice.
 */
export type Fault =
  | { readonly type: 'rate-limit'; readonly retryAfter?: number; readonly global?: boolean }
  | { readonly type: 'error'; readonly status?: number; readonly commit?: boolean }
  | { readonly type: 'refuse'; readonly status: number; readonly code: number; readonly message: string }
  | { readonly type: 'drop'; readonly commit?: boolean }
  /** Answers nothing until `release` is called, or the server stops. */
  | { readonly type: 'hang'; readonly commit?: boolean }
  /** Does what was asked, and says so later. */
  | { readonly type: 'slow'; readonly milliseconds: number };

export const tooLarge: Fault = {
  type: 'refuse',
  status: 413,
  code: 40005,
  message: 'Request entity too large',
};

export interface OrderedFault {
  readonly fault: Fault;
  /** How many requests have met it. */
  readonly met: number;
  /** Lets those go that hang, and ends the order. */
  release(): void;
  /** Resolves as `release` is called. */
  readonly released: Promise<void>;
}

/** The faults that a test has ordered: by route, so many times, after so many good answers. */
export class Faults {
  readonly #orders: Order[] = [];

  /** `route` is the method with the path as in `routes`, for example `POST /channels/:channel/messages`. */
  order(route: string, fault: Fault, { times = 1, skip = 0 } = {}): OrderedFault {
    const order = new Order(route, fault, times, skip);
    this.#orders.push(order);
    return order;
  }

  take(route: string): OrderedFault | undefined {
    return this.#orders.find((order) => order.route === route && order.meets());
  }

  stop(): void {
    for (const order of this.#orders) order.release();
  }
}

class Order implements OrderedFault {
  met = 0;
  readonly released: Promise<void>;
  #release: () => void = () => {};

  constructor(
    readonly route: string,
    readonly fault: Fault,
    private times: number,
    private skip: number,
  ) {
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  meets(): boolean {
    if (this.met >= this.times) return false;
    if (this.skip > 0) {
      this.skip -= 1;
      return false;
    }
    this.met += 1;
    return true;
  }

  release(): void {
    this.times = this.met;
    this.#release();
  }
}
