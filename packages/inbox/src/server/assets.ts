import { type Answer, inWords, pagePolicy } from './answer.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

/** A file of the page. Its names have no folders. */
export async function assetAnswer(
  path: string,
  asset: (name: string) => Promise<Uint8Array | undefined>,
): Promise<Answer> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const [, end = ''] = /^[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name) ?? [];
  const type = Object.hasOwn(types, end) ? types[end] : undefined;
  if (!type) return inWords(404, 'There is nothing here. The inbox is at /');
  const bytes = await asset(name);
  if (!bytes)
    return path === '/'
      ? inWords(500, 'The page of the inbox is missing beside the program. Run npm run build.')
      : inWords(404, 'There is nothing here. The inbox is at /');
  return {
    status: 200,
    headers: { 'content-type': type, 'content-security-policy': pagePolicy },
    body: bytes,
  };
}
