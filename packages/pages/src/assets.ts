import { createHash } from 'node:crypto';
import type { MaybePromise, PublicRoute, RelayRequest, RelayResponse } from '@form-relay/core/index';

const script = (text: Asset['text']): Asset => ({ type: 'text/javascript; charset=utf-8', text });

/** Files that pages load beside forms: the style, the element's script, and what it loads for some forms. */
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
  'messages.js': script(async () => (await import('@form-relay/element/built/messages')).messagesCode),
  'verify.js': script(async () => (await import('@form-relay/element/built/verify')).verifyCode),
};

const address = /^\/api\/v1\/([a-z]+)(?:\.([0-9a-f]{16}))?(\.[a-z]+)$/;

function assetAt(path: string): { readonly asset: Asset; readonly hash: string | undefined } | undefined {
  const [, stem = '', hash, ending = ''] = address.exec(path) ?? [];
  const name = stem + ending;
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  return asset && { asset, hash };
}

/** `/api/v1/form.js` and the like. Each has a second address that names what is in it: `/api/v1/form.<hash>.js`. */
export const assetRoute: PublicRoute = {
  matches: (path) => assetAt(path) !== undefined,
  isFree: true,
  answer: async (request) => {
    const { asset, hash } = assetAt(request.path) ?? {};
    if (!asset) throw new Error('there is no such asset');
    return assetAnswer(asset, hash, request);
  },
};

/** A file for pages. */
interface Asset {
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

/** An address with the right hash never changes what it gives. Any other gives what this version has, for a while. */
async function assetAnswer(
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

/** While they ask again, browsers use what they have (RFC 5861), for a week: a form keeps what is typed if its relay is down. */
const forAWhile = 'public, max-age=300, stale-while-revalidate=604800, stale-if-error=604800';

/** Proxies that compress make the tag weak, or name the encoding in it: each is of the same text (RFC 9110, 13.1.2). */
const isAmong = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch.split(',').some((tag) =>
    ['*', etag].includes(
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/-(br|gzip)"$/, '"'),
    ),
  );
