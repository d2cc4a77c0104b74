import type { Effects } from '../base/effects.ts';
import { captcha } from '../features/captcha/captcha.ts';
import { templatesOfFeatures } from '../features/index.ts';
import { keep } from '../features/keep/keep.ts';
import { minFill } from '../features/min_fill.ts';
import { places } from '../features/places/places.ts';
import { proof } from '../features/proof/proof.ts';
import { receipt } from '../features/receipt/receipt.ts';
import { scan } from '../features/scan.ts';
import { doubleOptIn } from '../features/visitor_mails/double_opt_in.ts';
import { everyOutput, visitorMailsOf } from '../features/visitor_mails/form_mails.ts';
import { templatesOf } from '../features/visitor_mails/visitor_mail.ts';
import type { Form } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { standInsOf } from './stand_ins.ts';

/** The differences between this run and a relay with these settings. */
export function notes(
  form: Form,
  settings: Settings,
  isDelivering: boolean,
  { env }: Pick<Effects, 'env'>,
): readonly string[] {
  const outputs = everyOutput(form).map(({ output }) => output);
  // Real deliveries use no stand-ins.
  const standIns = standInsOf(isDelivering ? [] : outputs);
  const isUnset = (name: string) => !env(name);
  const placed = [
    ...outputs.flatMap(({ templates }) => templates),
    ...visitorMailsOf(form).flatMap(([, mail]) => templatesOf(mail)),
  ].map(({ template }) => template);
  const templates = [...placed, ...templatesOfFeatures(form).map(({ template }) => template)];
  const solved = captcha.of(form);
  const kept = keep.of(form);
  const counted = places.of(form);
  const unset = [...new Set(templates.flatMap(({ envNames }) => [...envNames]))].filter(isUnset);
  return [
    ...unset
      .filter((name) => !standIns.has(name))
      .map((name) => `${name} is not set here, so it renders empty`),
    ...((minFill.of(form) || proof.of(form) || doubleOptIn.of(form)) && settings.formTokenSecret === ''
      ? ['FORM_TOKEN_SECRET is not set here: one was made up for this run']
      : []),
    ...(receipt.of(form) && settings.receiptSecrets.length === 0
      ? ['RECEIPT_SECRET is not set here: one was made up for this run']
      : []),
    ...(doubleOptIn.of(form) && settings.publicUrl === undefined
      ? ['PUBLIC_URL is not set here: another address stands in']
      : []),
    ...(outputs.some(({ target }) => target?.via === 'ses' && target.from === undefined) &&
    settings.mailFromAddress === undefined
      ? ['MAIL_FROM_ADDRESS is not set here: a made-up address stands in']
      : []),
    ...[...standIns]
      .filter(([name]) => isUnset(name))
      .map(([name, { says }]) => `${name} is not set here: ${says}`),
    ...(scan.of(form) && !isDelivering
      ? ['the virus scanner is not asked in a dry run, which takes every file for clean']
      : []),
    ...(kept ? [`this run keeps nothing in ${kept.where.in.name}, and tries nothing again later`] : []),
    ...(counted
      ? [
          `this run does not ask ${counted.where.name} what is taken: it counts from 0, and in its own memory alone`,
        ]
      : []),
    ...(solved ? [`${solved.provider} was not asked: this run decides by itself`] : []),
  ];
}
