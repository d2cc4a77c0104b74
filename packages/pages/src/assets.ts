import type { PublicRoute } from '@form-relay/core/index';
import type { Asset } from './asset_answer.ts';

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
  'computed.js': script(async () => (await import('@form-relay/element/built/computed')).computedCode),
  'repeat.js': script(async () => (await import('@form-relay/element/built/repeat')).repeatCode),
  'tel.js': script(async () => (await import('@form-relay/element/built/tel')).telCode),
  'signature.js': script(async () => (await import('@form-relay/element/built/signature')).signatureCode),
  'stats.js': script(async () => (await import('@form-relay/element/built/stats')).statsCode),
  'remember.js': script(async () => (await import('@form-relay/element/built/remember')).rememberCode),
  'resume.js': script(async () => (await import('@form-relay/element/built/resume')).resumeCode),
  'places.js': script(async () => (await import('@form-relay/element/built/places')).placesCode),
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
    return (await import('./asset_answer.ts')).assetAnswer(asset, hash, request);
  },
};
