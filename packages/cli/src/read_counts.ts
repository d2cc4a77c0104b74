/** Reads what is counted under many keys, some at once. */
export async function readCounts<T>(
  keys: readonly string[],
  read: (key: string) => Promise<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let at = 0; at < keys.length; at += mostAtOnce)
    found.push(...(await Promise.all(keys.slice(at, at + mostAtOnce).map(read))));
  return found;
}

const mostAtOnce = 16;
