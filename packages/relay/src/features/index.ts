/** Every feature, in the order of SPEC: What the service does. Checks that came later stand before validation. */
import type { CheckEvidence, CheckName } from '../base/event.ts';
import type { Answers, FeatureRoute, FeatureSettings, Form, Servers, Stages } from '../form.ts';
import type { PlacedTemplate } from '../outputs/output.ts';
import type { Finding } from '../schema/finding.ts';
import { archive } from './archive.ts';
import { bounces } from './bounces/bounces.ts';
import { captcha } from './captcha/captcha.ts';
import { doubt } from './doubt/doubt.ts';
import type { Parsed } from './doubt/doubt_problems.ts';
import type {
  Asked,
  Feature,
  KeyRoom,
  Need,
  OwnAnswers,
  OwnStages,
  RawMap,
  ReservedName,
  WrittenForm,
} from './feature.ts';
import { formToken } from './form_token/form_token.ts';
import { guard } from './guard.ts';
import { honeypot } from './honeypot.ts';
import { keep } from './keep/keep.ts';
import { keepDropped } from './keep_dropped/keep_dropped.ts';
import { keys } from './keys/keys.ts';
import { filledLink, links } from './links/links.ts';
import { singleUse } from './links/single_use.ts';
import { minFill } from './min_fill.ts';
import { origins } from './origins.ts';
import { page } from './page.ts';
import { places } from './places/places.ts';
import { proof } from './proof/proof.ts';
import { rateLimit } from './rate_limit.ts';
import { receipt } from './receipt/receipt.ts';
import { remember } from './remember/remember.ts';
import { scan } from './scan.ts';
import { schedule } from './schedule/schedule.ts';
import { stats } from './stats/stats.ts';
import { explainValidation, validate } from './validation.ts';
import { confirmationMail } from './visitor_mails/confirmation_mail.ts';
import { doubleOptIn } from './visitor_mails/double_opt_in.ts';
import { resume } from './visitor_mails/resume.ts';

const all = [
  ...[origins, rateLimit, keys, page, stats, remember],
  ...[schedule, links, honeypot, minFill, captcha, proof, doubt, guard, formToken],
  ...[resume, filledLink, singleUse],
  ...[scan, doubleOptIn, keep, confirmationMail, bounces],
  // Behind the mail, since it measures how long all before the answer takes.
  ...[places, receipt, keepDropped, archive],
] as const;

/** Each feature reads keys of its own; here all of them are alike. */
type AnyFeature = Feature<unknown, never, never, never>;
const features = all as unknown as readonly AnyFeature[];

type AllKeys = Reading<(typeof all)[number]> extends (asked: infer A) => void ? A : never;
type Reading<F> =
  F extends Feature<infer _, infer P, infer T, infer G> ? (asked: Asked<P, T, G>) => void : never;

type Merged<U> = (U extends unknown ? (one: U) => void : never) extends (one: infer I) => void ? I : never;
type OwnKeys<R extends KeyRoom> = Extract<(typeof all)[number]['keys'], Record<R, unknown>>[R];

export const keysIn = <R extends KeyRoom>(room: R): Merged<OwnKeys<R>> =>
  Object.assign({}, ...features.map(({ keys }) => keys[room])) as Merged<OwnKeys<R>>;

export const reservedNames = (written: WrittenForm): readonly ReservedName[] =>
  features.flatMap((one) => one.reserves?.(written) ?? []);

/** Mistakes between keys of features in a form as it is written; their paths begin at the form. */
export const featureProblems = (written: WrittenForm): readonly Finding[] =>
  features.flatMap((one) => one.problems?.(written) ?? []);

/** The same in a whole config. `parsed`: the config, if each of its keys is right. */
export const problemsAtTop = (config: RawMap, parsed: Parsed | undefined): readonly Finding[] =>
  features.flatMap((one) => one.problemsAtTop?.(config, parsed as never) ?? []);

/** Puts the evidence of a check into words, for the log and the story of a submission. */
export const explain = (evidence: CheckEvidence): string =>
  evidence.check === 'validation'
    ? explainValidation(evidence)
    : (features.find(({ name }) => name === evidence.check)?.explain?.(evidence as never) ?? '');

export function featuresAsked(asked: AllKeys): FeatureSettings {
  const known = new Map<string, unknown>();
  for (const one of features) {
    const settings = one.settings(asked as never, known);
    if (settings !== undefined) known.set(one.name, settings);
  }
  return known;
}

/** The stages that a form's features add. `all`: with those that servers skip. */
export function stagesOf(asked: FeatureSettings, all = asked): Stages {
  const own = features.map((one) => ownStages(one, asked, all));
  const servers = own.find((one) => one.servers)?.servers;
  const each = <K extends keyof OwnStages>(key: K) => own.flatMap((stages) => stages[key] ?? []) as never[];
  return {
    head: each('head'),
    admit: own.find(({ admit }) => admit)?.admit,
    read: own.find(({ read }) => read)?.read,
    fixed: own.find(({ fixed }) => fixed)?.fixed,
    way: [...each('check'), validate, ...each('accept')],
    foresee: each('foresee'),
    reserve: own.find(({ reserve }) => reserve)?.reserve,
    owed: own.find(({ owed }) => owed)?.owed,
    isBlocked: own.find(({ isBlocked }) => isBlocked)?.isBlocked,
    delivered: each('delivered'),
    receipt: own.find(({ receipt }) => receipt)?.receipt,
    turnedAway: own.find(({ turnedAway }) => turnedAway)?.turnedAway,
    servers: servers && { ...servers, ...wayOfServers(asked) },
  };
}

const ownStages = (one: AnyFeature, asked: FeatureSettings, all = asked): OwnStages =>
  (asked.has(one.name) && one.stages?.(asked.get(one.name), all)) || {};

function wayOfServers(asked: FeatureSettings): Pick<Servers, 'stages' | 'answers'> {
  const skipped = features.filter(({ isForBrowsers, name }) => isForBrowsers || name === keys.name);
  const rest = new Map([...asked].filter(([name]) => !skipped.some((one) => one.name === name)));
  return { stages: stagesOf(rest, asked), answers: answersOf(rest) };
}

/** The markup and answers that a form's features add. */
export function answersOf(asked: FeatureSettings): Answers {
  const own = features.flatMap((one): OwnAnswers | [] =>
    asked.has(one.name) ? (one.answers?.(asked.get(one.name), asked) ?? []) : [],
  );
  const drops = own.flatMap(({ dropsAs }) => dropsAs ?? []);
  const first = <K extends keyof OwnAnswers>(key: K): OwnAnswers[K] => own.find((one) => one[key])?.[key];
  return {
    additions: own.flatMap(({ add }) => add ?? []),
    policies: own.flatMap(({ policy }) => policy ?? []),
    needsTokenSecret: first('needsTokenSecret') ?? false,
    dropsAs:
      drops.length > 0
        ? (...given) =>
            drops.reduce<ReturnType<(typeof drops)[0]>>((like, one) => like ?? one(...given), undefined)
        : undefined,
    challenged: first('challenged'),
    renewal: first('renewal'),
    shows: own.flatMap(({ shows }) => shows ?? []),
    filling: first('filling'),
  };
}

/** The addresses of the API that features answer. */
export const featureRoutes: readonly FeatureRoute[] = features.flatMap(({ routes }) => routes ?? []);

/** The form, with what it asks of some features changed: for runs that only show what the relay does. */
export function asking(
  form: Form,
  changes: readonly (readonly [{ readonly name: string }, (asked: never) => unknown])[],
): Form {
  const features = new Map(form.features);
  for (const [{ name }, change] of changes) {
    if (features.has(name)) features.set(name, change(features.get(name) as never));
  }
  return { ...form, features, stages: stagesOf(features), answers: answersOf(features) };
}

/** The form as it would be without some features. */
export function without(form: Form, names: readonly string[]): Form {
  const features = new Map([...form.features].filter(([name]) => !names.includes(name)));
  return { ...form, features, stages: stagesOf(features), answers: answersOf(features) };
}

/**
 * The form for a submission that a person lets in: without features that may refuse it or count it. `isPast`: it has also
 * passed what follows validation, and its visitor has got the mails.
 */
export function unchecked(form: Form, isPast: boolean): Form {
  const refusing = features.filter((one) => {
    const { check, accept, foresee, reserve, turnedAway, delivered } = ownStages(one, form.features);
    return check ?? foresee ?? reserve ?? turnedAway ?? (isPast ? (accept ?? delivered) : undefined);
  });
  return without(
    form,
    refusing.map(({ name }) => name),
  );
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

/** The fields whose values the features of a form send mails to. */
export const mailedByFeatures = (asked: FeatureSettings): readonly string[] =>
  features.flatMap((one) => (asked.has(one.name) ? (one.mailsTo?.(asked.get(one.name)) ?? []) : []));

/** The environment variables without which the features of a form do not work, and those that their templates read. */
export const needsOf = (form: Form): readonly Need[] =>
  features.flatMap((one) => (form.features.has(one.name) ? (one.needs?.(one.of(form)) ?? []) : []));

export const templatesOfFeatures = (form: Form): readonly PlacedTemplate[] =>
  features.flatMap((one) => (form.features.has(one.name) ? (one.templates?.(one.of(form)) ?? []) : []));

/** Findings about a form that loads, and probably isn't meant that way. */
export const featureWarnings = (form: Form, now: number | undefined): readonly Finding[] => [
  ...features.flatMap((one) =>
    form.features.has(one.name) ? (one.warnings?.(one.of(form), form, now) ?? []) : [],
  ),
];

/** The checks of a submission to the form, in their order; those that are off as well, except where nobody would miss them. */
export const checksOf = (
  form: Form,
): readonly {
  readonly name: CheckName;
  readonly key: string;
  readonly isOn: boolean;
  readonly isForBrowsers?: true | undefined;
}[] =>
  features.flatMap((one) => {
    const { name, check, isForBrowsers } = one;
    const isOn = form.features.has(name) && hasStage(one, form.features);
    const own =
      check && (isOn || !check.isToldIfOn)
        ? [{ name: name as CheckName, key: check.key, isOn, isForBrowsers }]
        : [];
    return name === lastBeforeValidation ? [...own, { name: 'validation', key: 'fields', isOn: true }] : own;
  });

const lastBeforeValidation = doubt.name;

const hasStage = (one: AnyFeature, asked: FeatureSettings) => {
  const { head, check, accept, reserve, servers } = ownStages(one, asked);
  return (head ?? check ?? accept ?? reserve ?? servers) !== undefined;
};
