/** The keys of places, and what must hold between them and others. */
import * as v from 'valibot';
import type { CountPlace } from '../../base/counts.ts';
import { isQueue } from '../../base/kept.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Form } from '../../form.ts';
import { untemplated } from '../../outputs/archive_outputs.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { read } from '../../schema/issue.ts';
import { optional, required, section, withDefault } from '../../schema/keys.ts';
import { duration, flag, isMap, isWrittenTrue, mapOf, name, number } from '../../schema/kinds.ts';
import { mostCandidates, nearest } from '../../schema/suggestion.ts';
import { mapOrNothing, optionalAt, type RawMap } from '../feature.ts';
import { keep, keepsInQueue } from '../keep/keep.ts';
import { placeOf } from '../keep/keep_keys.ts';
import { mailTypes } from '../visitor_mails/carrier.ts';
import type { Once, OptionPlaces, Places } from './claims.ts';

/** What one text holds, with the ids that are remembered. */
export const count = number({ least: 1, most: 10_000, whole: true });

export const optionPlaces: Schema<OptionPlaces> = mapOf(
  mapOf(count, () => undefined, '{a: 12, b: 20}'),
  () => undefined,
  '{workshop: {a: 12, b: 20}}',
);

export const onceKeys = {
  by: required(
    'The name of the `required` field whose value comes once: an `email` field, unless `reveal` is true.',
    name(),
  ),
  for: optional(
    'For how long, from a minute; after that, the same value may come again. Default: for ever.',
    duration({ leastMs: 60_000, hasDays: true }),
  ),
  reveal: withDefault(
    'false',
    'Whether the answer says that this value was sent before (403, `already_registered`), instead of a mail to the address. Then anybody can find out who has registered.',
    flag(),
  ),
};

export const once = section(onceKeys, '{by: email, for: 30d}') as Schema<Once>;

export const countPlace: Schema<CountPlace> = v.pipe(
  untemplated(name()),
  read((found): Result<CountPlace, Finding> => {
    const [, table] = /^dynamodb:\/\/([\w.-]{3,255})$/.exec(found) ?? [];
    if (table !== undefined) return ok({ kind: 'dynamodb', name: found, table });
    const [, binding] = /^durable-object:\/\/(\w{1,100})$/.exec(found) ?? [];
    if (binding !== undefined) return ok({ kind: 'durable-object', name: found, binding });
    const place = placeOf(found);
    if (place.ok) return isQueue(place.value) ? err(finding('counted_in_queue', [])) : ok(place.value);
    switch (place.error.code) {
      case 'keep_not_a_queue':
      case 'keep_not_two_queues':
        return err(finding('counted_in_queue', []));
      case 'keep_place_unknown':
        return err(finding('counted_in_unknown', [], { found }));
      default:
        return place;
    }
  }),
);

const keys = ['places', 'option_places', 'once'];

export function placesProblems(form: RawMap, top: RawMap): readonly Finding[] {
  const asked = keys.filter((key) => isWritten(form[key]));
  const fields = mapsIn(form.fields);
  const outputs = mapsIn(form.outputs);
  const [first] = asked;
  return [
    ...(first === undefined ? [] : whereProblems(first, top)),
    ...(isMap(form.option_places) ? optionProblems(form.option_places, fields) : []),
    ...(isMap(form.once) ? onceProblems(form.once, form, fields, outputs) : []),
    ...waitingProblems(form, outputs),
  ];
}

const isWritten = (value: unknown) => value !== undefined && value !== null;
const mapsIn = (list: unknown): readonly RawMap[] => (Array.isArray(list) ? list.map(mapOrNothing) : []);

/** An uncounted form would take more than it has. */
function whereProblems(key: string, { keep, counted_in: place }: RawMap): readonly Finding[] {
  if (isWritten(place)) return [];
  if (!isWritten(keep)) return [finding('counted_nowhere', [key])];
  return keepsInQueue(keep) ? [finding('counted_in_queue', [key])] : [];
}

/** Types whose visitors may leave an option out: a ranking and a matrix need them all. */
const counted = ['select', 'radios', 'checkboxes'];

function optionProblems(written: RawMap, fields: readonly RawMap[]): readonly Finding[] {
  return Object.entries(written).flatMap(([field, limits]) => {
    const path = ['option_places', field];
    const found = fields.find(({ name }) => name === field);
    if (!found)
      return [
        {
          ...finding('field_undeclared', path, { name: field, near: nearest(field, namesIn(fields)) }),
          aboutKey: true,
        },
      ];
    if (!counted.some((type) => type === found.type) || !Array.isArray(found.options))
      return [{ ...finding('option_places_of_no_choice', path, { name: field }), aboutKey: true }];
    const values = found.options.map((option) => String(isMap(option) ? option.value : option));
    return Object.keys(mapOrNothing(limits))
      .filter((value) => !values.includes(value))
      .map((value) => ({ ...finding('value_no_option', [...path, value], { value }), aboutKey: true }));
  });
}

const namesIn = (fields: readonly RawMap[]) =>
  fields.flatMap(({ name }) => (typeof name === 'string' ? name : [])).slice(0, mostCandidates);

function onceProblems(
  { by, reveal }: RawMap,
  form: RawMap,
  fields: readonly RawMap[],
  outputs: readonly RawMap[],
): readonly Finding[] {
  if (typeof by !== 'string' || by === '') return [];
  const path = ['once', 'by'];
  const index = fields.findIndex(({ name }) => name === by);
  const field = fields[index];
  if (!field) return [finding('field_undeclared', path, { name: by, near: nearest(by, namesIn(fields)) })];
  if (field.type === 'file') return [finding('once_by_files', path)];
  const optional = optionalAt(field, ['fields', index]);
  if (optional)
    return [
      { ...finding(`once_by_${optional.why}`, optional.path, { name: by }), aboutKey: optional.aboutKey },
    ];
  if (isWrittenTrue(reveal)) return [];
  if (field.type !== 'email') return [finding('once_by_no_email', path, { name: by })];
  const sendsMails =
    [form.confirmation_mail, form.double_opt_in].some(isMap) ||
    outputs.some(({ type }) => mailTypes.some((one) => one === type));
  return [
    ...(sendsMails ? [] : [finding('once_without_mail', ['once'])]),
    ...['double_opt_in', 'confirmation_mail'].flatMap((key) => {
      const { to } = mapOrNothing(form[key]);
      return typeof to === 'string' && to !== by
        ? [finding('once_mails_another', [key, 'to'], { name: by })]
        : [];
    }),
    // Behind a link in a mail, only the owner of the address gets one.
    ...(isWrittenTrue(form.receipt) && !isMap(form.double_opt_in)
      ? [{ ...finding('once_with_receipt', ['receipt']), aboutKey: true }]
      : []),
  ];
}

/** Answers that differ for strangers while an output fails. */
export function onceWarnings(asked: Places, form: Form): readonly Finding[] {
  if (!asked.isSecret || !form.outputs.some(({ on_error }) => on_error === 'fail')) return [];
  const what = keep.of(form)?.what;
  if (what === undefined) return [{ ...finding('once_unkept', ['once']), aboutKey: true }];
  return what === 'failed' && form.keptMessage !== undefined
    ? [{ ...finding('once_with_kept_message', ['kept_message']), aboutKey: true }]
    : [];
}

/** What is on the waiting list needs an output that takes it, and so does all else. */
function waitingProblems(form: RawMap, outputs: readonly RawMap[]): readonly Finding[] {
  const hasPlaces = isWritten(form.places) || isWritten(form.option_places);
  const unused = ['when_full', 'full_text'].flatMap((key) =>
    isWritten(form[key]) && !hasPlaces ? [{ ...finding('full_without_places', [key]), aboutKey: true }] : [],
  );
  const waits = form.when_full === 'waiting';
  const ways = outputs.map(({ waiting }) => waiting ?? 'never');
  const strays = ways.flatMap((way, index) =>
    way === 'never' || waits
      ? []
      : [{ ...finding('waiting_without_list', ['outputs', index, 'waiting']), aboutKey: true }],
  );
  const isNever = ways.length > 0 && ways.every((way) => way === 'never');
  const isOnly = ways.length > 0 && ways.every((way) => way === 'only');
  return [
    ...unused,
    ...strays,
    ...(waits && isNever ? [finding('waiting_nowhere', ['when_full'])] : []),
    ...(waits && isOnly ? [finding('outputs_only_waiting', ['outputs'])] : []),
    ...(waits && hasPlaces && isWritten(form.full_text)
      ? [{ ...finding('full_text_of_waiting', ['full_text']), aboutKey: true }]
      : []),
  ];
}
