/** A value that is known at once, or soon. Most submissions wait for their outputs alone, and a promise costs memory. */
export type Soon<T> = T | Promise<T>;

/** Goes on with it: at once where it is known. */
export const after = <T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(next) : next(value);
