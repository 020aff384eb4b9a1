/** Returns the value of a sum with + - * / % ^ and brackets as text; `undefined` if the text is no sum. */
export function evaluate(sum: string): string | undefined {
  const tokens = sum
    .slice(0, 200)
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .match(/\d+(?:\.\d+)?|\.\d+|[-+*/%^()x×÷]|[^\s]/g);
  if (tokens === null) return undefined;
  const value = new Sum(tokens).value();
  return value === undefined || !Number.isFinite(value) ? undefined : String(Number(value.toPrecision(15)));
}

/** A recursive-descent parser; NaN carries "not a sum" to the top. */
class Sum {
  readonly #tokens: string[];

  constructor(tokens: readonly string[]) {
    this.#tokens = [...tokens];
  }

  value(): number | undefined {
    const value = this.#terms();
    return this.#tokens.length === 0 && !Number.isNaN(value) ? value : undefined;
  }

  #terms(): number {
    let value = this.#factors();
    for (;;) {
      if (this.#take('+')) value += this.#factors();
      else if (this.#take('-')) value -= this.#factors();
      else return value;
    }
  }

  #factors(): number {
    let value = this.#signed();
    for (;;) {
      if (this.#take('*', 'x', '×')) value *= this.#signed();
      else if (this.#take('/', '÷')) value /= this.#signed();
      else if (this.#take('%')) value %= this.#signed();
      else return value;
    }
  }

  #signed(): number {
    if (this.#take('-')) return -this.#signed();
    const base = this.#atom();
    return this.#take('^') ? base ** this.#signed() : base;
  }

  #atom(): number {
    if (this.#take('(')) {
      const value = this.#terms();
      return this.#take(')') ? value : Number.NaN;
    }
    return Number(this.#tokens.shift() ?? Number.NaN);
  }

  #take(...wanted: string[]): boolean {
    if (!wanted.includes(this.#tokens[0] ?? '')) return false;
    this.#tokens.shift();
    return true;
  }
}
