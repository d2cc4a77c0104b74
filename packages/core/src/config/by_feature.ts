import type { Registered } from '../plugin.ts';

/** A value for each feature that has one. Plug-ins declare the types (`Provided`, `Shared`), so only reading by a declared name is typed. */
export class ByFeature<All> implements Registered<All> {
  readonly #values = new Map<PropertyKey, unknown>();

  set(name: string, value: unknown): void {
    if (value !== undefined) this.#values.set(name, value);
  }

  get<N extends keyof All>(name: N): All[N] | undefined {
    return this.#values.get(name) as All[N] | undefined;
  }

  values(): Iterable<unknown> {
    return this.#values.values();
  }

  /** For the feature itself. */
  own(name: string): unknown {
    return this.#values.get(name);
  }
}
