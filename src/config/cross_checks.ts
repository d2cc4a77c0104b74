import * as v from 'valibot';
import { captchaProviders } from '../captchas/index.ts';
import { fieldTypes } from '../fields/index.ts';
import { parseDuration, secondsToMs } from '../schema/duration.ts';
import type { Finding } from '../schema/finding.ts';
import { found, isMap, oneOf } from '../schema/kinds.ts';
import { didYouMean, mostCandidates } from '../schema/suggestion.ts';
import { spamKeys } from './schema.ts';

/**
 * What must hold between the keys of a form (SPEC: Config-parse-time rejections). Works on the config as written, so
 * that these problems are reported even where others keep the form from being parsed.
 */
export function crossChecks(id: string, form: unknown): readonly Finding[] {
  if (!isMap(form)) return [];
  const names = fieldNames(form);
  const findings = [
    ...duplicates(names),
    ...reservedNames(form).flatMap(({ path, name, what }, index, all) => {
      const earlier = all.slice(0, index).find((other) => other.name === name);
      if (names.includes(name))
        return [{ path, message: `"${name}" is a declared field; ${what} needs a name of its own` }];
      return earlier ? [{ path, message: `"${name}" is the name of ${earlier.what} too` }] : [];
    }),
    ...tokenLifetime(form),
    ...captchaField(form),
    ...conditions(form, names),
    ...conditionValues(form, names),
  ];
  return findings.map((finding) => ({ ...finding, path: ['forms', id, ...finding.path] }));
}

type RawMap = Readonly<Record<string, unknown>>;

const rawFields = ({ fields }: RawMap): readonly unknown[] => (Array.isArray(fields) ? fields : []);

const fieldNames = (form: RawMap): readonly unknown[] =>
  rawFields(form).map((field) => (isMap(field) ? field.name : undefined));

function duplicates(names: readonly unknown[]): readonly Finding[] {
  const first = firstPlaces(names);
  return names.flatMap((name, index) =>
    typeof name === 'string' && first.get(name) !== index
      ? [{ path: ['fields', index, 'name'], message: `"${name}" is declared already` }]
      : [],
  );
}

/** Where each name stands first. */
const firstPlaces = (names: readonly unknown[]): ReadonlyMap<unknown, number> =>
  new Map(names.map((name, index): [unknown, number] => [name, index]).reverse());

interface ReservedName {
  readonly path: readonly string[];
  readonly name: string;
  readonly what: string;
}

/** Submitted names that a check reads and strips: no field can have them, nor another check. */
function reservedNames({ spam, captcha }: RawMap): readonly ReservedName[] {
  const reserved: ReservedName[] = [];
  const reserve = (path: readonly string[], name: unknown, what: string) => {
    if (typeof name === 'string') reserved.push({ path, name, what });
  };
  if (isMap(spam)) {
    reserve(['spam', 'honeypot'], spam.honeypot, 'the honeypot');
    reserve(['spam', 'token_field'], spam.token_field ?? spamKeys.token_field.default, 'the min-fill token');
  }
  if (isMap(captcha)) {
    const provider = captchaProviders.find((known) => known.provider === captcha.provider);
    reserve(['captcha', 'field'], captcha.field ?? provider?.field, 'the captcha token');
  }
  return reserved;
}

/** SPEC: `form_ttl` must exceed `min_fill_seconds`. */
function tokenLifetime({ spam }: RawMap): readonly Finding[] {
  if (!isMap(spam)) return [];
  const { form_ttl: ttl = spamKeys.form_ttl.default, min_fill_seconds: minFill = '0' } = spam;
  if (typeof ttl !== 'string' || typeof minFill !== 'string') return [];
  const ttlMs = parseDuration(ttl);
  const minFillSeconds = Number(minFill);
  if (typeof ttlMs !== 'number' || !(ttlMs <= secondsToMs(minFillSeconds))) return [];
  const message = `form_ttl is ${ttlMs / 1000}s and min_fill_seconds ${minFillSeconds}: a form would expire before it may be sent`;
  return [{ path: ['spam', spam.form_ttl === undefined ? 'min_fill_seconds' : 'form_ttl'], message }];
}

/** A widget that cannot rename its field would send the token where nobody looks for it. */
function captchaField({ captcha }: RawMap): readonly Finding[] {
  if (!isMap(captcha) || typeof captcha.field !== 'string' || captcha.site_key === undefined) return [];
  const provider = captchaProviders.find((known) => known.provider === captcha.provider);
  if (!provider || provider.canRename || provider.field === captcha.field) return [];
  const message = `the widget that site_key renders submits "${provider.field}", and cannot use another name`;
  return [{ path: ['captcha', 'field'], message }];
}

/** More would only be a mistake, and each submission follows them all. */
const longestChain = 100;

/** `visible_when` names a declared field, and following the conditions ends somewhere, soon. */
function conditions(form: RawMap, names: readonly unknown[]): readonly Finding[] {
  const placeOf = firstPlaces(names);
  const decides = rawFields(form).map((field) => {
    const when = isMap(field) ? field.visible_when : undefined;
    return isMap(when) ? when.field : undefined;
  });
  return decides.flatMap((decider, index) => {
    if (typeof decider !== 'string') return [];
    const path = ['fields', index, 'visible_when', 'field'];
    if (!placeOf.has(decider)) {
      const near = didYouMean(
        decider,
        names.slice(0, mostCandidates).filter((name) => typeof name === 'string'),
      );
      return [{ path, message: `"${decider}" is not a declared field${near}` }];
    }
    const seen = new Set([index]);
    for (let at = placeOf.get(decider); at !== undefined; at = placeOf.get(decides[at] ?? null)) {
      if (at === index)
        return [{ path, message: 'this condition depends on itself; a cycle decides nothing' }];
      if (seen.size > longestChain)
        return [{ path, message: `this condition depends on more than ${longestChain} others` }];
      if (seen.has(at)) return [];
      seen.add(at);
    }
    return [];
  });
}

/**
 * What a condition compares with is something that the deciding field can hold: another value would show the field to
 * nobody, or to everybody (D50). Empty text stands for no choice. Of each list the first mistake is told: there may be
 * as many as conditions times values.
 */
function conditionValues(form: RawMap, names: readonly unknown[]): readonly Finding[] {
  const fields = rawFields(form);
  const placeOf = firstPlaces(names);
  return fields.flatMap((field, index) => {
    const when = isMap(field) ? field.visible_when : undefined;
    if (!isMap(when) || !isText(when.field)) return [];
    const possible = valuesOf(fields[placeOf.get(when.field) ?? -1])?.filter(isText);
    if (!possible) return [];
    return ['is', 'is_not'].flatMap((test) => {
      const wanted = when[test];
      const values = Array.isArray(wanted) ? wanted : [wanted];
      const held = new Set(['', ...possible]);
      const at = values.findIndex((value) => isText(value) && !held.has(value));
      if (at < 0) return [];
      const some = possible.slice(0, mostCandidates);
      const near = didYouMean(values[at], some) || `; expected ${oneOf(some)}`;
      const message = `found ${found(values[at])}; "${when.field}" never holds that${near}`;
      const path = ['fields', index, 'visible_when', test];
      return [{ path: values === wanted ? [...path, at] : path, message }];
    });
  });
}

const isText = (value: unknown) => typeof value === 'string';

/** All that a field can hold, where its keys say it. */
function valuesOf(field: unknown): readonly unknown[] | undefined {
  if (!isMap(field)) return undefined;
  const { options, checked_value: checkedValue } = field;
  if (Array.isArray(options)) return options.map((option) => (isMap(option) ? option.value : option));
  const box = fieldTypes.find(({ type }) => type === field.type)?.keys.checked_value;
  return box && [checkedValue ?? v.getDefault(box)];
}
