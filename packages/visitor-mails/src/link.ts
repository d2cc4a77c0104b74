/** Links in mails, which lead to the relay and hold what was filled in. */
import type { Field, Outcome, Submission, Values } from '@form-relay/core/index';
import { invalid, noTokenSecret } from '@form-relay/core/kit';

/** The parameter of the link, and the input of its page. */
export const sealedField = 't';

const noPublicUrl: Outcome = {
  ...noTokenSecret,
  kind: 'no_public_url',
  why: 'PUBLIC_URL is not set, or its path is unknown',
};

/** Never trust the Host header, which would lead to a stranger's site, nor a path before the relay's own, but for Lambda's stage. */
export function linkBefore({
  settings,
  request,
}: Pick<Submission, 'settings' | 'request'>): string | Outcome {
  const { formTokenSecret, publicUrl } = settings;
  const { mountPath = '', isMountSure = false } = request;
  if (formTokenSecret === '') return noTokenSecret;
  return publicUrl === undefined || (mountPath !== '' && !isMountSure) ? noPublicUrl : publicUrl + mountPath;
}

/** The address with more in its query, before a fragment. */
export function withQuery(address: string, parts: readonly (string | undefined)[]): string {
  const query = parts.filter((part) => part !== undefined && part !== '').join('&');
  return query === ''
    ? address
    : address.replace(/^[^#]*/, (before) => `${before}${before.includes('?') ? '&' : '?'}${query}`);
}

/** People's entries always fit where nothing is delivered without the link (link_room.ts). */
export function tooLong(
  fields: readonly Pick<Field, 'name'>[],
  values: Values,
  code: 'opt_in_too_long' | 'resume_too_long',
): Outcome {
  const sizeOf = (name: string) => Buffer.byteLength((values.get(name) ?? []).join(''));
  const [field = ''] = fields.map(({ name }) => name).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return invalid([{ field, code }]);
}
