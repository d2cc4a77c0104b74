/** Works on at most so many items at once, ahead of their use. Results keep the order of the items. */
export async function* ahead<T, U>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const underWay: Promise<U>[] = [];
  for await (const item of items) {
    const result = work(item);
    // The loop awaits it later, and sees a rejection then. Until then, a rejection must not end the process.
    result.catch(() => {});
    underWay.push(result);
    if (underWay.length >= most) yield (await underWay.shift()) as U;
  }
  for (const result of underWay) yield await result;
}
