import { noValues, withoutEmpty } from '@form-relay/base/values';
import type { Field } from '@form-relay/core/fields/field';
import type { Form } from '@form-relay/core/form';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { readSettings } from '@form-relay/core/settings';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { placeOf } from './markup.ts';
import {
  type Control,
  error,
  type PageCheck,
  type PageFinding,
  quote,
  quoteAll,
  warning,
} from './page_form.ts';

/** Compares the values that visitors can send from the page with those that the config accepts. */
export const fieldValues: PageCheck = ({ config, controls, sent: all }) => {
  const errorOf = checkerFor(config);
  const ofFields = config.inputs.flatMap((field) => {
    const sent = all.get(field.name) ?? [];
    if (field.takeFiles) return sent.flatMap((control) => files(field, control));
    const own = sent.filter(({ kind }) => kind !== 'file');
    if (own.length === 0) return [];
    const accepted = field.offered && new Set(field.offered);
    return [
      ...own.flatMap((control) => refusedValues(field, control, accepted, errorOf)),
      ...own.flatMap((control) => typeMismatch(field, control)),
      ...own.flatMap((control) => limits(field, control)),
      ...notOffered(field, own),
      ...severalChoices(field, own),
    ];
  });
  const takers = new Map(config.inputs.map((field) => [field.name, field]));
  const takesFiles = config.inputs.some(({ takeFiles }) => takeFiles);
  const ofFiles = controls.flatMap((control) => filesNotTaken(takers.get(control.name), takesFiles, control));
  return [...ofFiles, ...ofFields];
};

type Check = (field: Field, value: string) => string | undefined;

/** Checks a value as the form would. */
function checkerFor(form: Form): Check {
  const about = { requestId: '', receivedAt: form.services.now(), values: noValues };
  const settings = readSettings({});
  const { translate } = form.locale(undefined);
  return (field, value) => {
    const meant = meantBy(field, value);
    // A value that normalizes to nothing, such as that of a control inside another's option, cannot be checked alone.
    if (meant.length === 0) return undefined;
    // Each value may take the time that patterns have for a whole submission.
    const problem = field.check(meant, restoreSubmission(form, about, settings));
    return problem && translate(problem);
  };
}

const meantBy = ({ name, normalize }: Field, value: string): readonly string[] => {
  const sent = new Map([[name, [value]]]);
  return withoutEmpty((normalize ? normalize(sent) : sent.get(name)) ?? []);
};

/** Finds file inputs whose field takes text, or whose form has no file fields. */
function filesNotTaken(
  field: Field | undefined,
  takesFiles: boolean,
  { name, kind, element }: Control,
): readonly PageFinding[] {
  if (kind !== 'file' || element.isDisabled || (field ? field.takeFiles : takesFiles)) return [];
  const message = field
    ? `${quote(name)} accepts text, not files; set its type to file`
    : 'this form accepts no files; declare a field of type file, or remove the input';
  return [error(placeOf(element, 'type'), 'files_not_taken', message)];
}

/** Finds differences between a file input and its field. */
function files(field: Field, { kind, element }: Control): readonly PageFinding[] {
  if (kind !== 'file') {
    const message = `${quote(field.name)} accepts files, not text; expected type="file"`;
    return [error(placeOf(element, 'type'), 'type_mismatch', message)];
  }
  const isMultiple = element.attributes.has('multiple');
  const several = `visitors can choose several files here, but ${quote(field.name)} accepts one`;
  const one = `${quote(field.name)} accepts several files, but visitors can choose one here; expected multiple`;
  if (isMultiple === field.takesSeveral) return [];
  return isMultiple
    ? [error(placeOf(element, 'multiple'), 'several_choices', several)]
    : [warning(placeOf(element, 'name'), 'multiple_missing', one)];
}

function refusedValues(
  field: Field,
  { kind, element, choices }: Control,
  accepted: ReadonlySet<string> | undefined,
  errorOf: Check,
): readonly PageFinding[] {
  const fixed =
    kind === 'hidden' ? [{ element, value: element.attributes.get('value') ?? '' }] : (choices ?? []);
  const problems = fixed.flatMap(({ element, value }) => {
    if (value === '' || accepted?.has(value)) return [];
    const problem = accepted ? '' : errorOf(field, value);
    return problem === undefined ? [] : [{ place: placeOf(element, 'value'), value, problem }];
  });
  const [next, ...more] = problems.slice(mostRefusals);
  const others = `${more.length + 1} more of the values that ${quote(field.name)} offers are not accepted`;
  return [
    ...problems
      .slice(0, mostRefusals)
      .map(({ place, value, problem }) => error(place, 'value_refused', refusal(field, value, problem))),
    ...(next ? [error(next.place, 'value_refused', others)] : []),
  ];
}

/** If a whole list is wrong, such as countries by name instead of by code, a few of its values are enough. */
const mostRefusals = 5;

function refusal(field: Field, value: string, problem: string): string {
  const accepted = field.offered;
  if (!accepted) return `${quote(value)} would be answered with 422: ${problem}`;
  const what = choicesIn(field)
    ? `an option of ${quote(field.name)}`
    : `a value that ${quote(field.name)} accepts`;
  const isSame = (one: string) => one.toLowerCase() === value.toLowerCase();
  const near =
    didYouMean(accepted.find(isSame) ?? nearest(value, accepted)) || `; expected ${someOf(accepted)}`;
  return `${quote(value)} is not ${what}, and would be answered with 422${near}`;
}

/** The values that visitors choose from. A box has a single value, ticked or not. */
const choicesIn = ({ layout, offered }: Field) => (layout === 'box' ? undefined : offered);

/** Shortens a list, because one of all countries is too long for a message. */
const someOf = (accepted: readonly string[]): string =>
  accepted.length > 30 ? `a value such as ${quote(accepted[0] ?? '')}` : quoteAll(accepted);

/** Input types whose values have a fixed format, and the field types that accept it. */
const formats: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'url',
  number: 'number',
  range: 'number',
  date: 'date',
  'datetime-local': 'datetime',
  month: '',
  week: '',
  time: 'time',
  color: '',
};

const strictTypes = ['email', 'url', 'number', 'date', 'time', 'datetime'];

/** Types whose format few people type by themselves, with an example and the right input type. */
const formatted: Readonly<Record<string, readonly [what: string, input: string]>> = {
  date: ['dates like 2030-12-31', 'date'],
  time: ['times like 14:30', 'time'],
  datetime: ['dates and times like 2030-12-31 14:30', 'datetime-local'],
};

function typeMismatch(field: Field, { kind, element, choices }: Control): readonly PageFinding[] {
  if (choices || kind === 'hidden' || kind === 'custom') return [];
  const place = placeOf(element, 'type');
  const accepted = field.offered;
  if (accepted) {
    const message = `visitors can enter any text here, but ${quote(field.name)} accepts only ${someOf(accepted)}`;
    return [warning(place, 'type_too_free', message)];
  }
  const format = formats[kind];
  if (format === undefined) {
    const [what, input] = formatted[field.type] ?? [];
    const message = `${quote(field.name)} accepts only ${what}; expected type="${input}"`;
    return what ? [warning(place, 'type_too_free', message)] : [];
  }
  if (!strictTypes.includes(field.type) || format === field.type) return [];
  const message = `${quote(field.name)} has the type ${field.type}, which does not accept the values of type="${kind}"`;
  return [error(place, 'type_mismatch', message)];
}

interface Limited extends Pick<Field, 'min_length' | 'max_length'> {
  readonly min?: number | string;
  readonly max?: number | string;
}

/**
 * Finds limits that let visitors enter values that the relay then rejects. If the page sets no limit, the
 * relay reports the value to visitors.
 */
function limits(field: Field, { element }: Control): readonly PageFinding[] {
  const { min_length, max_length, min, max }: Limited = field;
  const wider = (attribute: string, key: string, limit: number | string | undefined) => {
    const found = element.attributes.get(attribute);
    if (found === undefined || found === '' || limit === undefined) return [];
    const value = typeof limit === 'number' ? Number(found) : found;
    // The relay's sliders start below `min`, which means no answer.
    if (field.normalize && meantBy(field, found).length === 0) return [];
    const isWider = attribute.startsWith('min') ? value < limit : value > limit;
    const message = `${attribute} is ${found}, but the config's ${key} of ${quote(field.name)} is ${limit}`;
    return isWider ? [warning(placeOf(element, attribute), 'limit_too_wide', message)] : [];
  };
  return [
    ...wider('minlength', 'min_length', min_length),
    ...wider('maxlength', 'max_length', max_length),
    ...wider('min', 'min', min),
    ...wider('max', 'max', max),
  ];
}

/** Finds options of the config that visitors of this page cannot choose. */
function notOffered(field: Field, own: readonly Control[]): readonly PageFinding[] {
  const offered = new Set(own.flatMap(({ choices }) => choices ?? []).map(({ value }) => value));
  const [first] = own;
  const absent = (choicesIn(field) ?? []).filter((value) => !offered.has(value));
  const areTyped = own.some(({ choices }) => !choices);
  if (!first || areTyped || absent.length === 0) return [];
  const message = `${quote(field.name)} does not offer ${quoteAll(absent)}`;
  return [warning(placeOf(first.element, 'name'), 'options_not_offered', message)];
}

/** Finds fields with several choices on the page, but only one in the config. */
function severalChoices(field: Field, own: readonly Control[]): readonly PageFinding[] {
  if (!choicesIn(field) || field.takesSeveral) return [];
  const message = `visitors can choose several here, but ${quote(field.name)} accepts one`;
  const [first] = own;
  const multiple = own.find(({ element, kind }) => kind === 'select' && element.attributes.has('multiple'));
  if (multiple) return [error(placeOf(multiple.element, 'multiple'), 'several_choices', message)];
  const isOneOfMany = ({ kind }: Control) => kind === 'radio' || kind === 'submit';
  const second = own.find(
    (control) => control !== first && !(first && isOneOfMany(first) && isOneOfMany(control)),
  );
  return second ? [error(placeOf(second.element, 'name'), 'several_choices', message)] : [];
}
