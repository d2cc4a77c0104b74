import type { Effects } from '../base/effects.ts';
import { everyOutput, templatesOf, visitorMailsOf } from '../features/visitor_mails/visitor_mail.ts';
import type { Form } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { standInsOf } from './stand_ins.ts';

/** What differs from the relay that will run with these settings, and what is missing here. */
export function notes(
  form: Form,
  settings: Settings,
  isDelivering: boolean,
  { env }: Pick<Effects, 'env'>,
): readonly string[] {
  const outputs = everyOutput(form).map(({ output }) => output);
  // What is really sent has none.
  const standIns = standInsOf(isDelivering ? [] : outputs);
  const isUnset = (name: string) => !env(name);
  const placed = [
    ...outputs.flatMap(({ templates }) => templates),
    ...visitorMailsOf(form).flatMap(([, mail]) => templatesOf(mail)),
  ].map(({ template }) => template);
  const templates = form.captcha ? [...placed, form.captcha.secret] : placed;
  const unset = [...new Set(templates.flatMap(({ envNames }) => [...envNames]))].filter(isUnset);
  return [
    ...unset
      .filter((name) => !standIns.has(name))
      .map((name) => `${name} is not set here, so it renders empty`),
    ...((form.spam?.minFill || form.proof || form.doubleOptIn) && settings.formTokenSecret === ''
      ? ['FORM_TOKEN_SECRET is not set here: one was made up for this run']
      : []),
    ...(form.receipt && settings.receiptSecrets.length === 0
      ? ['RECEIPT_SECRET is not set here: one was made up for this run']
      : []),
    ...(form.doubleOptIn && settings.publicUrl === undefined
      ? ['PUBLIC_URL is not set here: another address stands in']
      : []),
    ...(outputs.some(({ target }) => target?.via === 'ses' && target.from === undefined) &&
    settings.mailFromAddress === undefined
      ? ['MAIL_FROM_ADDRESS is not set here: a made-up address stands in']
      : []),
    ...[...standIns]
      .filter(([name]) => isUnset(name))
      .map(([name, { says }]) => `${name} is not set here: ${says}`),
    ...(form.scan && !isDelivering
      ? ['the virus scanner is not asked in a dry run, which takes every file for clean']
      : []),
    ...(form.keep ? [`this run keeps nothing in ${form.keep.where.in.name}, but in its own memory`] : []),
    ...(form.captcha ? [`${form.captcha.provider} was not asked: this run decides by itself`] : []),
  ];
}
