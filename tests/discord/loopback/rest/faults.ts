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

export interface FaultOrder {
  /** How many requests meet it; one unless told otherwise. */
  readonly times?: number;
  /** How many requests go well before. */
  readonly skip?: number;
  /** Only requests about this channel (or interaction token). */
  readonly of?: string;
}

/** The faults that a test has ordered: by route, so many times, after so many good answers. */
export class Faults {
  readonly #orders: Order[] = [];
  #routes: ReadonlySet<string> = new Set();

  know(routes: readonly string[]): void {
    this.#routes = new Set(routes);
  }

  /** `route` is the method with the path as in the files of `routes/`, for example `POST /channels/:channel/messages`. */
  order(route: string, fault: Fault, { times = 1, skip = 0, of }: FaultOrder = {}): OrderedFault {
    if (!this.#routes.has(route)) throw new Error(`The loopback Discord has no route ${route}`);
    const order = new Order(route, of, fault, times, skip);
    this.#orders.push(order);
    return order;
  }

  take(route: string, major: string): OrderedFault | undefined {
    return this.#orders.find((order) => order.isFor(route, major) && order.meets());
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
    private readonly route: string,
    private readonly major: string | undefined,
    readonly fault: Fault,
    private times: number,
    private skip: number,
  ) {
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  isFor(route: string, major: string): boolean {
    return route === this.route && (this.major === undefined || this.major === major);
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
