/** Files that pages load along with forms. */
import { createHash } from 'node:crypto';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { PublicRoute } from '../plugin.ts';
import type { RelayResponse } from './request.ts';

export interface Asset {
  /** A media type with its charset. */
  readonly type: string;
  text(): MaybePromise<string>;
}

/** By file name: `form.js` for `/api/v1/form.js`. */
export type Assets = Readonly<Record<string, Asset>>;

export function assetRoute(assets: Assets): PublicRoute {
  const assetAt = (path: string): Asset | undefined => {
    const [, name = ''] = /^\/api\/v1\/([a-z][a-z_]*\.[a-z]+)$/.exec(path) ?? [];
    return Object.hasOwn(assets, name) ? assets[name] : undefined;
  };
  return {
    matches: (path) => assetAt(path) !== undefined,
    isFree: true,
    answer: ({ path, headers }) => assetAnswer(assetAt(path) as Asset, headers['if-none-match']),
  };
}

/** By name: `tel` for `/api/v1/tel.js`. */
export const scriptsAsAssets = (scripts: Readonly<Record<string, Asset['text']>>): Assets =>
  Object.fromEntries(
    Object.entries(scripts).map(([name, text]) => [
      `${name}.js`,
      { type: 'text/javascript; charset=utf-8', text },
    ]),
  );

const made = new WeakMap<Asset, { readonly text: string; readonly etag: string }>();

async function contentOf(asset: Asset) {
  const known = made.get(asset);
  if (known) return known;
  const text = await asset.text();
  const content = { text, etag: `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"` };
  made.set(asset, content);
  return content;
}

export async function assetAnswer(asset: Asset, known = ''): Promise<RelayResponse> {
  const { text, etag } = await contentOf(asset);
  const about = { etag, vary: 'accept-encoding', 'cache-control': forAWhile };
  // Proxies that compress make the tag weak or add the encoding to it. All of these denote the same text (RFC 9110, 13.1.2).
  if (known.includes(etag.slice(0, -1))) return { status: 304, headers: about, body: '', isFixed: true };
  const type = { 'content-type': asset.type, 'x-content-type-options': 'nosniff' };
  return { status: 200, headers: { ...type, ...about }, body: text, isFixed: true };
}

/** Browsers may use their copy for a week while they revalidate it (RFC 5861), so forms work while the relay is down. */
const forAWhile = 'public, max-age=300, stale-while-revalidate=604800, stale-if-error=604800';
