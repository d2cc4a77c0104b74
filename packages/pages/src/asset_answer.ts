import { createHash } from 'node:crypto';
import type { MaybePromise, RelayRequest, RelayResponse } from '@form-relay/core/index';

/** A file for pages. */
export interface Asset {
  /** A media type with its charset. */
  readonly type: string;
  text(): MaybePromise<string>;
}

const hashLength = 16;
const made = new WeakMap<Asset, { readonly text: string; readonly hash: string }>();

async function contentOf(asset: Asset) {
  const known = made.get(asset);
  if (known) return known;
  const text = await asset.text();
  const hash = createHash('sha256').update(text).digest('hex').slice(0, hashLength);
  const content = { text, hash };
  made.set(asset, content);
  return content;
}

/**
 * The address with the right hash never changes what it gives. The one without, and one with the hash of another version of
 * the relay, give what this version has, and are asked for again after a while.
 */
export async function assetAnswer(
  asset: Asset,
  hashAsked: string | undefined,
  { headers }: RelayRequest,
): Promise<RelayResponse> {
  const { text, hash } = await contentOf(asset);
  const etag = `"${hash}"`;
  const about = {
    etag,
    vary: 'accept-encoding',
    'cache-control': hashAsked === hash ? 'public, max-age=31536000, immutable' : forAWhile,
  };
  if (isAmong(headers['if-none-match'], etag))
    return { status: 304, headers: about, body: '', isFixed: true };
  const type = { 'content-type': asset.type, 'x-content-type-options': 'nosniff' };
  return { status: 200, headers: { ...type, ...about }, body: text, isFixed: true };
}

/**
 * After five minutes, browsers use what they have while they ask for it again (RFC 5861), for a week. So a form that was loaded
 * before keeps what is typed when its relay is down.
 */
const forAWhile = 'public, max-age=300, stale-while-revalidate=604800, stale-if-error=604800';

/**
 * A proxy that compresses makes the tag a weak one, which makes no difference here (RFC 9110, 13.1.2); nor does the encoding in
 * a tag: each is of the same text.
 */
const isAmong = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch.split(',').some((tag) =>
    ['*', etag].includes(
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/-(br|gzip)"$/, '"'),
    ),
  );
