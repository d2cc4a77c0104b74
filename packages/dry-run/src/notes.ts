import type { Form } from '@form-relay/core/form';
import { standInsOf } from './stand_ins.ts';

/** The differences between a dry run of a form and a relay with the same variables. */
export function notes(
  form: Form,
  { isSet, isDelivering }: { readonly isSet: (name: string) => boolean; readonly isDelivering: boolean },
): readonly string[] {
  // Real deliveries use no stand-ins.
  const standIns = isDelivering ? new Map<string, never>() : standInsOf([form]);
  const { provided, outputs, requiredEnv } = form;
  const isUnset = (name: string) => requiredEnv.has(name) && !isSet(name);
  const made = ['FORM_TOKEN_SECRET', 'RECEIPT_SECRET'].filter(isUnset);
  const own = new Set(['FORM_TOKEN_SECRET', 'RECEIPT_SECRET', 'PUBLIC_URL', 'MAIL_FROM_ADDRESS']);
  const read = outputs.flatMap(({ templates }) => templates.flatMap(({ template }) => [...template.envNames]));
  const empty = [...new Set([...read, ...requiredEnv])].filter(
    (name) => !isSet(name) && !own.has(name) && !standIns.has(name),
  );
  const isMailed = outputs.some(({ transport }) => transport?.protocol === 'ses');
  const captcha = provided.get('captcha');
  const keep = provided.get('keep');
  const places = provided.get('places');
  return [
    ...empty.map((name) => `${name} is not set here, so it renders empty`),
    ...made.map((name) => `${name} is not set here: one was made up for this run`),
    ...(isUnset('PUBLIC_URL') ? ['PUBLIC_URL is not set here: another address stands in'] : []),
    ...(isMailed && !isSet('MAIL_FROM_ADDRESS')
      ? ['MAIL_FROM_ADDRESS is not set here: a made-up address stands in']
      : []),
    ...[...standIns]
      .filter(([name]) => !isSet(name))
      .map(([name, { says }]) => `${name} is not set here: ${says}`),
    ...(keep ? [`this run keeps nothing in ${keep.where.in.name}, and tries nothing again later`] : []),
    ...(places ? ['this run does not ask what is taken: it counts from 0, and in its own memory alone'] : []),
    ...(captcha ? [`${captcha.provider} was not asked: this run decides by itself`] : []),
  ];
}
