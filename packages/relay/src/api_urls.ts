import type { Values } from './base/values.ts';
import type { Form } from './form.ts';

/** An address of the relay's API. `base`: what stands before `/api/v1`; nothing on the relay's own origin. */
export const apiPath = (
  base: string,
  route: 'submit' | 'form' | 'token' | 'confirm' | 'sent',
  form: Form,
): string => `${base}/api/v1/${route}/${encodeURIComponent(form.id)}${form.query && `?${form.query}`}`;

/**
 * The form as a page of the relay's own, for a link. It asks for the page, since older browsers, and all on plain HTTP,
 * do not say that they navigate.
 */
export const pageAddress = (base: string, form: Form): string =>
  withQuery(apiPath(base, 'form', form), hasFieldNamedAs(form) ? '' : 'as=page');

/** The address with some more in its query, before a fragment. */
export const withQuery = (address: string, query: string): string =>
  query === ''
    ? address
    : address.replace(/^[^#]*/, (before) => `${before}${before.includes('?') ? '&' : '?'}${query}`);

/**
 * Where a form goes that its browser may send by itself. It asks for pages, so that its visitor ends on a page of the
 * relay's own and never on JSON.
 */
export const sendAddress = (base: string, form: Form): string =>
  withQuery(apiPath(base, 'submit', form), hasFieldNamedAs(form) ? '' : 'as=page');

/** The field that carries what an address holds sealed. */
export const sealedField = 't';

/** The query and the hidden input that carry a link's content, sealed. */
export const linkField = 'fill';

/** The name of the button that mails a link to go on later. */
export const resumeField = '_resume';

/** Whether a query asks for the page. */
export const asksForPage = (form: Form | undefined, query: Values): boolean =>
  query.get('as')?.[0] === 'page' && !(form && hasFieldNamedAs(form));

/** A query belongs to the form's fields first (SPEC: GET /api/v1/form/{form}). */
const hasFieldNamedAs = ({ fields }: Form) => fields.some(({ name }) => name === 'as');

/** Files that pages load beside forms (pages/asset_answer.ts). */
const assetNames = [
  'form.css',
  'form.js',
  'files.js',
  'steps.js',
  'guard.js',
  'range.js',
  'computed.js',
  'repeat.js',
  'tel.js',
  'ranking.js',
  'signature.js',
  'stats.js',
  'remember.js',
  'resume.js',
  'places.js',
] as const;

export type AssetName = (typeof assetNames)[number];

export const isAssetName = (name: string): name is AssetName => assetNames.some((one) => one === name);

/** The characters of the hash in an asset's second address. */
export const assetHashLength = 16;
