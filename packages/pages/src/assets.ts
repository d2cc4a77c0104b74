import { createHash } from 'node:crypto';
import type { MaybePromise, PublicRoute, RelayResponse } from '@form-relay/core/index';

const script = (text: Asset['text']): Asset => ({ type: 'text/javascript; charset=utf-8', text });

/** Files that pages load along with forms: the style, the element's script, and what it loads for some forms. */
export const assets: Readonly<Record<string, Asset>> = {
  'form.css': {
    type: 'text/css; charset=utf-8',
    text: async () => (await import('@form-relay/element/built/style')).formStyle.toString(),
  },
  'form.js': script(async () => (await import('@form-relay/element/built/element')).elementCode),
  'files.js': script(async () => (await import('@form-relay/element/built/files')).filesCode),
  'steps.js': script(async () => (await import('@form-relay/element/built/steps')).stepsCode),
  'guard.js': script(async () => (await import('@form-relay/element/built/guard')).guardCode),
  'range.js': script(async () => (await import('@form-relay/element/built/range')).rangeCode),
  'repeat.js': script(async () => (await import('@form-relay/element/built/repeat')).repeatCode),
  'tel.js': script(async () => (await import('@form-relay/element/built/tel')).telCode),
  'conditions.js': script(async () => (await import('@form-relay/element/built/conditions')).conditionsCode),
  'again.js': script(async () => (await import('@form-relay/element/built/again')).againCode),
  'messages.js': script(async () => (await import('@form-relay/element/built/messages')).messagesCode),
  'verify.js': script(async () => (await import('@form-relay/element/built/verify')).verifyCode),
};

function assetAt(path: string): Asset | undefined {
  const [, name = ''] = /^\/api\/v1\/([a-z]+\.[a-z]+)$/.exec(path) ?? [];
  return Object.hasOwn(assets, name) ? assets[name] : undefined;
}

/** `/api/v1/form.js` and the like. */
export const assetRoute: PublicRoute = {
  matches: (path) => assetAt(path) !== undefined,
  isFree: true,
  answer: ({ path, headers }) => assetAnswer(assetAt(path) as Asset, headers['if-none-match']),
};

interface Asset {
  /** A media type with its charset. */
  readonly type: string;
  text(): MaybePromise<string>;
}

const made = new WeakMap<Asset, { readonly text: string; readonly etag: string }>();

async function contentOf(asset: Asset) {
  const known = made.get(asset);
  if (known) return known;
  const text = await asset.text();
  const content = { text, etag: `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"` };
  made.set(asset, content);
  return content;
}

async function assetAnswer(asset: Asset, known = ''): Promise<RelayResponse> {
  const { text, etag } = await contentOf(asset);
  const about = { etag, vary: 'accept-encoding', 'cache-control': forAWhile };
  // Proxies that compress make the tag weak, or name the encoding in it: each is of the same text (RFC 9110, 13.1.2).
  if (known.includes(etag.slice(0, -1))) return { status: 304, headers: about, body: '', isFixed: true };
  const type = { 'content-type': asset.type, 'x-content-type-options': 'nosniff' };
  return { status: 200, headers: { ...type, ...about }, body: text, isFixed: true };
}

/** While they ask again, browsers use what they have (RFC 5861), for a week: a form keeps what is typed if its relay is down. */
const forAWhile = 'public, max-age=300, stale-while-revalidate=604800, stale-if-error=604800';
