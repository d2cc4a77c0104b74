import { decodeSegment } from '../base/url.ts';
import { type AssetName, hashLength, isAssetName } from '../pages/asset_answer.ts';

/** The methods of each route, besides OPTIONS; GET means HEAD too. */
export const methods = {
  submit: 'POST',
  check: 'POST',
  form: 'GET',
  token: 'GET',
  challenge: 'GET',
  receipts: 'GET',
  confirm: 'GET, POST',
  sent: 'GET',
  asset: 'GET',
} as const;

/** What a path leads to. */
export type Route = FormRoute | AssetRoute;

export interface FormRoute {
  readonly name: 'submit' | 'check' | 'form' | 'token' | 'challenge' | 'confirm' | 'sent' | 'receipts';
  /** Empty when the path ends before it; `undefined` when it cannot be decoded, so that it names no form; and of `receipts`, which are of all forms. */
  readonly formId: string | undefined;
}

/** What pages load beside forms. */
interface AssetRoute {
  readonly name: 'asset';
  readonly asset: AssetName;
  /** As the path has it: `undefined` in the address that stays the same. */
  readonly hash: string | undefined;
}

/** `undefined` when the path leads nowhere. */
export function routeOf(path: string): Route | undefined {
  if (path === '/api/v1/receipts.json') return { name: 'receipts', formId: undefined };
  // Most requests are submissions of a form with a plain name.
  if (path.startsWith(submit) && isPlain(path)) return { name: 'submit', formId: path.slice(submit.length) };
  const [, name, segment = ''] =
    /^\/api\/v1\/(submit|check|form|token|challenge|confirm|sent)(?:\/([^/]*))?$/.exec(path) ?? [];
  if (name === undefined) return assetRouteOf(path);
  return { name: name as FormRoute['name'], formId: decodeSegment(segment) };
}

const submit = '/api/v1/submit/';

/** Whether the rest of it is one name, which stands for itself. */
const isPlain = (path: string) => !path.includes('/', submit.length) && !path.includes('%');

const assetPath = new RegExp(`^/api/v1/([a-z]+)(?:\\.([0-9a-f]{${hashLength}}))?(\\.[a-z]+)$`);

function assetRouteOf(path: string): AssetRoute | undefined {
  const [, stem = '', hash, ending = ''] = assetPath.exec(path) ?? [];
  const asset = stem + ending;
  return isAssetName(asset) ? { name: 'asset', asset, hash } : undefined;
}
