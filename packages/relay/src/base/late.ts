import type { Soon } from './soon.ts';

/** Code that is loaded when something first needs it: most relays run without most of it. */
export class Late<T> {
  #value: T | undefined;
  #loading: Promise<T> | undefined;
  readonly #load: () => Promise<T>;

  /** The words in a config that ask for it. */
  readonly names: readonly string[];

  constructor(load: () => Promise<T>, names: readonly string[]) {
    this.#load = load;
    this.names = names;
  }

  /** `undefined` until it has loaded. */
  get value(): T | undefined {
    return this.#value;
  }

  /** For code that its names have loaded. Throws if none of them did, which is a bug. */
  get loaded(): T {
    if (this.#value === undefined) throw new Error(`nothing loaded the part of ${this.names.join(', ')}`);
    return this.#value;
  }

  /** Loads it once, however often it is called. The next call tries a failed load again. */
  load(): Promise<T> {
    this.#loading ??= this.#load().then(
      (value) => {
        this.#value = value;
        return value;
      },
      (error) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** Calls back with it: at once if it is there. */
  use<R>(callback: (value: T) => Soon<R>): Soon<R> {
    return this.#value === undefined ? this.load().then(callback) : callback(this.#value);
  }

  /** `undefined` until something needs it. */
  get loading(): Promise<T> | undefined {
    return this.#loading;
  }
}

/** @param names The words in a config that ask for it (config/late_parts.ts). */
export const late = <T>(load: () => Promise<T>, ...names: readonly string[]): Late<T> =>
  new Late(load, names);

type AnyFunction = (...given: never[]) => unknown;

/** A function of up to four parameters that is loaded with the first call. Once it is there, no promise stands between. */
export function lateFunction<F extends AnyFunction>(part: Late<F>) {
  const loose = part as Late<unknown> as Late<(...given: readonly unknown[]) => unknown>;
  // A rest parameter would allocate a list with each call.
  const call = (first: unknown, second: unknown, third: unknown, fourth: unknown) =>
    loose.value
      ? loose.value(first, second, third, fourth)
      : loose.load().then((loaded) => loaded(first, second, third, fourth));
  return call as unknown as (...given: Parameters<F>) => ReturnType<F> | Promise<Awaited<ReturnType<F>>>;
}

/** Siblings of one shape, by the name that a config gives each: those that are there, and those that load when it is named. */
export class Registry<T extends object> {
  readonly #parts: ReadonlyMap<string, T | Late<T>>;

  constructor(entries: Readonly<Record<string, T | (() => Promise<T>)>>) {
    this.#parts = new Map(
      Object.entries(entries).map(([name, one]) => [
        name,
        typeof one === 'function' ? late(one as () => Promise<T>, name) : one,
      ]),
    );
  }

  /** All names, loaded or not. */
  get names(): readonly string[] {
    return [...this.#parts.keys()];
  }

  get late(): readonly Late<T>[] {
    return [...this.#parts.values()].filter((one) => one instanceof Late);
  }

  /** `undefined` if no entry has this name, or if it has not loaded. */
  get(name: unknown): T | undefined {
    const one = this.#parts.get(name as string);
    return one instanceof Late ? one.value : one;
  }

  async load(name: string): Promise<T | undefined> {
    const one = this.#parts.get(name);
    return one instanceof Late ? one.load() : one;
  }

  get loaded(): readonly T[] {
    return this.names.flatMap((name) => this.get(name) ?? []);
  }
}
