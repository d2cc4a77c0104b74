/** What is no JSON has nothing in it. Some services begin with a byte order mark, which JSON has none of. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
