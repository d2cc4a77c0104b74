/** Every feature, in the order of SPEC: What the service does. Checks that came later stand before validation (D72). */

import type { CheckName } from '../base/event.ts';
import type { FeatureSettings, Form, Stages } from '../form.ts';
import type { PlacedTemplate } from '../outputs/output.ts';
import type { Finding } from '../schema/finding.ts';
import { behaviour } from './behaviour.ts';
import { captcha } from './captcha/captcha.ts';
import { captchaOfNobody } from './captcha/in_doubt_only.ts';
import { doubt } from './doubt/doubt.ts';
import type { Asked, Feature, Need, OwnStages } from './feature.ts';
import { honeypot } from './honeypot.ts';
import { keep } from './keep/keep.ts';
import { minFill } from './min_fill.ts';
import { origins } from './origins.ts';
import { page } from './page.ts';
import { proof } from './proof/proof.ts';
import { rateLimit } from './rate_limit.ts';
import { receipt } from './receipt/receipt.ts';
import { scan } from './scan.ts';
import { validate } from './validation.ts';
import { confirmationMail } from './visitor_mails/confirmation_mail.ts';
import { doubleOptIn } from './visitor_mails/double_opt_in.ts';

const all = [
  ...[origins, rateLimit, page],
  ...[honeypot, minFill, captcha, proof, behaviour, doubt],
  ...[scan, doubleOptIn],
  ...[keep, confirmationMail, receipt],
] as const;

/** What each feature reads is its own; here, all of them are alike. */
type AnyFeature = Feature<unknown, never, never, never>;
const features = all as unknown as readonly AnyFeature[];

/** The keys that any of them reads. */
type AllKeys = Reading<(typeof all)[number]> extends (asked: infer A) => void ? A : never;
type Reading<F> =
  F extends Feature<infer _, infer P, infer T, infer G> ? (asked: Asked<P, T, G>) => void : never;

/** What a form asks of each, as the config says it. */
export const featuresAsked = (asked: AllKeys): FeatureSettings =>
  new Map(
    features.flatMap((one) => {
      const settings = one.settings(asked as never);
      return settings === undefined ? [] : [[one.name, settings] as const];
    }),
  );

/** What those that are asked add to the way of a submission. */
export function stagesOf(asked: FeatureSettings): Stages {
  const own = features.flatMap((one): OwnStages | [] =>
    asked.has(one.name) ? (one.stages?.(asked.get(one.name), asked) ?? []) : [],
  );
  const each = <K extends keyof OwnStages>(key: K) => own.flatMap((stages) => stages[key] ?? []) as never[];
  return {
    head: each('head'),
    read: own.find(({ read }) => read)?.read,
    way: [...each('check'), validate, ...each('accept')],
    owed: own.find(({ owed }) => owed)?.owed,
    delivered: each('delivered'),
    receipt: own.find(({ receipt }) => receipt)?.receipt,
  };
}

/** The form, with what it asks of some features changed: for runs that only show what the relay does. */
export function asking(
  form: Form,
  changes: readonly (readonly [{ readonly name: string }, (asked: never) => unknown])[],
): Form {
  const features = new Map(form.features);
  for (const [{ name }, change] of changes) {
    if (features.has(name)) features.set(name, change(features.get(name) as never));
  }
  return { ...form, features, stages: stagesOf(features) };
}

/** The names of fields that only features read, and those under which the relay alone says something. */
export function namesOfFeatures(asked: FeatureSettings): Pick<Form, 'checkNames' | 'ownNames'> {
  const own = features.flatMap((one) => (asked.has(one.name) ? (one.ownNames ?? []) : []));
  return {
    checkNames: new Set(
      features.flatMap((one) => (asked.has(one.name) ? (one.names?.(asked.get(one.name)) ?? []) : [])),
    ),
    ownNames: own.length > 0 ? new Set(own) : undefined,
  };
}

/** The environment variables without which the features of a form do not work, and those that their templates read. */
export const needsOf = (form: Form): readonly Need[] =>
  features.flatMap((one) => (form.features.has(one.name) ? (one.needs?.(one.of(form)) ?? []) : []));

export const templatesOfFeatures = (form: Form): readonly PlacedTemplate[] =>
  features.flatMap((one) => (form.features.has(one.name) ? (one.templates?.(one.of(form)) ?? []) : []));

/** What loads, yet is probably not what the owner meant. */
export const featureWarnings = (form: Form): readonly Finding[] => [
  ...features.flatMap((one) =>
    form.features.has(one.name) ? (one.warnings?.(one.of(form), form) ?? []) : [],
  ),
  ...captchaOfNobody(form),
];

/** The checks of a submission to the form, in their order; those that are off as well, except where nobody would miss them. */
export const checksOf = (
  form: Form,
): readonly { readonly name: CheckName; readonly key: string; readonly isOn: boolean }[] =>
  features.flatMap((one) => {
    const { name, check } = one;
    const isOn = form.features.has(name) && hasStage(one, form.features);
    const own =
      check && (isOn || !check.isToldIfOn) ? [{ name: name as CheckName, key: check.key, isOn }] : [];
    return name === lastBeforeValidation ? [...own, { name: 'validation', key: 'fields', isOn: true }] : own;
  });

const lastBeforeValidation = doubt.name;

const hasStage = (one: AnyFeature, asked: FeatureSettings) => {
  const { head, check, accept } = one.stages?.(one.in(asked), asked) ?? {};
  return (head ?? check ?? accept) !== undefined;
};
