/**
 * Works on items while the one before is still used: on at most so many at once. What comes of them comes in their order.
 */
export async function* ahead<T, U>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const underWay: Promise<U>[] = [];
  for await (const item of items) {
    const result = work(item);
    // It is awaited in its turn, and rejects then; until then, and when nobody asks for it any more, it fails nobody.
    result.catch(() => {});
    underWay.push(result);
    if (underWay.length >= most) yield (await underWay.shift()) as U;
  }
  for (const result of underWay) yield await result;
}
