import type { Form } from '@form-relay/core/form';
import type { EnvUse } from '@form-relay/core/schema/diagnostics';
import { placeholdersOf } from './placeholders.ts';

/** For which settings stand in. */
const settings = new Set(['FORM_TOKEN_SECRET', 'RECEIPT_SECRET', 'PUBLIC_URL', 'MAIL_FROM_ADDRESS']);

/**
 * The differences between a dry run of a form and a relay with the same variables.
 *
 * @param all The variables that the config reads.
 */
export function notes(
  { id, provided }: Form,
  all: readonly EnvUse[],
  { isSet, isDelivering }: { readonly isSet: (name: string) => boolean; readonly isDelivering: boolean },
): readonly string[] {
  const uses = all.filter(({ path }) => path[0] === 'forms' && path[1] === id && !path.includes('keys_env'));
  // Real deliveries use no stand-ins.
  const placeholders = isDelivering ? new Map<string, never>() : placeholdersOf(uses);
  const unset = new Set(uses.map(({ name }) => name).filter((name) => !isSet(name)));
  const made = ['FORM_TOKEN_SECRET', 'RECEIPT_SECRET'].filter((name) => unset.has(name));
  const empty = [...unset].filter((name) => !settings.has(name) && !placeholders.get(name)?.says);
  const captcha = provided.get('captcha');
  const keep = provided.get('keep');
  const places = provided.get('places');
  return [
    ...empty.map((name) => `${name} is not set here, so it renders empty`),
    ...made.map((name) => `${name} is not set here: one was made up for this run`),
    ...(unset.has('PUBLIC_URL') ? ['PUBLIC_URL is not set here: another address stands in'] : []),
    ...(unset.has('MAIL_FROM_ADDRESS')
      ? ['MAIL_FROM_ADDRESS is not set here: a made-up address stands in']
      : []),
    ...[...placeholders]
      .filter(([name, { says }]) => says !== '' && unset.has(name))
      .map(([name, { says }]) => `${name} is not set here: ${says}`),
    ...(keep ? [`this run keeps nothing in ${keep.where.in.name}, and tries nothing again later`] : []),
    ...(places ? ['this run does not ask what is taken: it counts from 0, and in its own memory alone'] : []),
    ...(captcha ? [`${captcha.provider} was not asked: this run decides by itself`] : []),
  ];
}
