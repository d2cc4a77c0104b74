/** What is known at once, or soon. To wait where there is nothing to wait for takes 2 % of a submission. */
export type Soon<T> = T | Promise<T>;

/** Goes on with it: at once where it is known. */
export const after = <T, U>(value: Soon<T>, next: (value: T) => U): Soon<U> =>
  value instanceof Promise ? value.then(next) : next(value);
