import { createHash } from 'node:crypto';
import { type AssetName, assetHashLength } from '../api_urls.ts';
import { encodings, type RelayRequest, type RelayResponse } from '../base/http.ts';

const script = (text: Asset['text']): Asset => ({ type: 'text/javascript; charset=utf-8', text });

/**
 * Assets that pages load beside forms: `/api/v1/form.css`, `/api/v1/form.js`, `/api/v1/files.js` where visitors choose files,
 * `/api/v1/steps.js` where forms have steps, `/api/v1/guard.js` where forms ask for a proof of work, or count how they are filled in,
 * `/api/v1/range.js` where they have a slider, `/api/v1/repeat.js` where entries repeat, `/api/v1/computed.js` where they have a result to work
 * out, `/api/v1/tel.js`, `/api/v1/ranking.js` and `/api/v1/signature.js` where they have such a field, `/api/v1/stats.js` where forms count views
 * and sends, `/api/v1/remember.js` where browsers keep what was typed, `/api/v1/resume.js` where visitors go on later by a link, and
 * `/api/v1/places.js` where options may be full. Each has a second address that names what is in it, `/api/v1/form.<hash>.css`.
 */
const assets = {
  'form.css': {
    type: 'text/css; charset=utf-8',
    text: async () => (await import('../../built/style.ts')).formStyle.toString(),
  },
  'form.js': script(async () => (await import('../../built/element.ts')).elementCode),
  'files.js': script(async () => (await import('../../built/files.ts')).filesCode),
  'steps.js': script(async () => (await import('../../built/steps.ts')).stepsCode),
  'guard.js': script(async () => (await import('../../built/guard.ts')).guardCode),
  'range.js': script(async () => (await import('../../built/range.ts')).rangeCode),
  'computed.js': script(async () => (await import('../../built/computed.ts')).computedCode),
  'repeat.js': script(async () => (await import('../../built/repeat.ts')).repeatCode),
  'tel.js': script(async () => (await import('../../built/tel.ts')).telCode),
  'ranking.js': script(async () => (await import('../../built/ranking.ts')).rankingCode),
  'signature.js': script(async () => (await import('../../built/signature.ts')).signatureCode),
  'stats.js': script(async () => (await import('../../built/stats.ts')).statsCode),
  'remember.js': script(async () => (await import('../../built/remember.ts')).rememberCode),
  'resume.js': script(async () => (await import('../../built/resume.ts')).resumeCode),
  'places.js': script(async () => (await import('../../built/places.ts')).placesCode),
} satisfies Readonly<Record<AssetName, Asset>>;

interface Asset {
  readonly type: string;
  /** May be imported only now: a cold start needs none of it. */
  readonly text: () => string | Promise<string>;
}

const made = new Map<AssetName, { readonly text: string; readonly hash: string }>();

async function contentOf(name: AssetName) {
  const known = made.get(name);
  if (known) return known;
  const text = await assets[name].text();
  const hash = createHash('sha256').update(text).digest('hex').slice(0, assetHashLength);
  const content = { text, hash };
  made.set(name, content);
  return content;
}

/**
 * The address with the right hash never changes what it gives. The one without, and one with the hash of another
 * version of the relay, give what this version has, and are asked for again after a while.
 */
export async function assetAnswer(
  name: AssetName,
  hashAsked: string | undefined,
  { headers }: RelayRequest,
): Promise<RelayResponse> {
  const { text, hash } = await contentOf(name);
  const etag = `"${hash}"`;
  const about = {
    etag,
    vary: 'accept-encoding',
    'cache-control': hashAsked === hash ? 'public, max-age=31536000, immutable' : forAWhile,
  };
  if (isAmong(headers['if-none-match'], etag)) {
    return { status: 304, headers: about, body: '', isFixed: true };
  }
  const type = { 'content-type': assets[name].type, 'x-content-type-options': 'nosniff' };
  return { status: 200, headers: { ...type, ...about }, body: text, isFixed: true };
}

/**
 * After five minutes, browsers use what they have while they ask for it again (RFC 5861), for a week. So a form that was
 * loaded before keeps what is typed when its relay is down.
 */
const forAWhile = 'public, max-age=300, stale-while-revalidate=604800, stale-if-error=604800';

/**
 * A proxy that compresses makes the tag a weak one; here that makes no difference (RFC 9110, 13.1.2). Nor does it make one
 * which encoding the visitor has: each is of the same text.
 */
const isAmong = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch
    .split(',')
    .some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '').replace(encodingInTag, '"')));

const encodingInTag = new RegExp(`-(${encodings.join('|')})"$`);
