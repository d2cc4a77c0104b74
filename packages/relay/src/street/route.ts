import { type AssetName, assetHashLength, isAssetName } from '../api_urls.ts';
import { decodeSegment } from '../base/url.ts';
import { featureRoutes } from '../features/index.ts';
import type { FeatureRoute } from '../form.ts';
import type { Allowed } from '../pages/cors.ts';

/** The methods of the street's own routes, besides OPTIONS; GET means HEAD too. */
const ownMethods = { submit: 'POST', check: 'POST', form: 'GET', sent: 'GET', asset: 'GET' } as const;

/** Those of every route. */
export const methods: Readonly<Record<string, Allowed>> = {
  ...ownMethods,
  ...Object.fromEntries(featureRoutes.map((route) => [route.name, route.methods])),
};

/** The target of a path. */
export interface Route {
  readonly name: string;
  /** Empty when the path ends before it; `undefined` when it cannot be decoded, so that it names no form, or is of all. */
  readonly formId?: string | undefined;
  /** The feature's that answers it. Default: the street's own. */
  readonly own?: FeatureRoute | undefined;
  /** The asset that pages load beside forms. */
  readonly asset?: AssetName;
  /** The asset's, as the path has it: `undefined` in the address that stays the same. */
  readonly hash?: string | undefined;
}

/** `undefined` when the path leads nowhere. */
export function routeOf(path: string): Route | undefined {
  // Most requests are submissions of a form with a plain name.
  if (path.startsWith(submit) && isPlain(path)) return { name: 'submit', formId: path.slice(submit.length) };
  const ofAll = featureRoutes.find((one) => one.isOfAll && path === `/api/v1/${one.name}.json`);
  if (ofAll) return { name: ofAll.name, own: ofAll };
  const [, name = '', segment = ''] = /^\/api\/v1\/([a-z-]+)(?:\/([^/]*))?$/.exec(path) ?? [];
  const own = featureRoutes.find((one) => one.name === name && !one.isOfAll);
  return own || (name !== 'asset' && Object.hasOwn(ownMethods, name))
    ? { name, formId: decodeSegment(segment), own }
    : assetRouteOf(path);
}

const submit = '/api/v1/submit/';

/** Whether the rest of it is one name, which stands for itself. */
const isPlain = (path: string) => !path.includes('/', submit.length) && !path.includes('%');

const assetPath = new RegExp(`^/api/v1/([a-z]+)(?:\\.([0-9a-f]{${assetHashLength}}))?(\\.[a-z]+)$`);

function assetRouteOf(path: string): Route | undefined {
  const [, stem = '', hash, ending = ''] = assetPath.exec(path) ?? [];
  const asset = stem + ending;
  return isAssetName(asset) ? { name: 'asset', asset, hash } : undefined;
}
