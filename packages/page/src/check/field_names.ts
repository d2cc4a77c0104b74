import { holds, judge } from '@form-relay/base/condition';
import type { Field } from '@form-relay/core/fields/field';
import { slotElementId } from '@form-relay/core/html/element_ids';
import { inWords } from '@form-relay/schema/condition';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { placeOf } from './markup.ts';
import {
  type Control,
  error,
  isSent,
  isUnsatisfiable,
  type PageCheck,
  type PageFinding,
  type PageForm,
  quote,
  quoteAll,
  warning,
} from './page_form.ts';

/** Names that the page sends and the config lacks, and the other way round. */
export const fieldNames: PageCheck = (subject) => [
  ...unknownNames(subject),
  ...nameless(subject),
  ...disabled(subject),
  ...missing(subject),
];

/** Whether the page sends a control with this name, or gets one from the relay (`visible_when`). */
function has({ config, sent, added, page }: PageForm, name: string): boolean {
  return sent.has(name) || added.includes(name) || page.ids.has(slotElementId(config, name));
}

function unknownNames(subject: PageForm): readonly PageFinding[] {
  const { config, controls } = subject;
  const declared = [...config.inputs.map(({ name }) => name), ...config.reservedNames];
  // The names in a template, from which a script makes entries.
  const blank = config.inputs.flatMap(({ path = [] }) => (path.length > 2 ? `${path[0]}.0.${path[2]}` : []));
  const isKnown = (name: string) =>
    config.usedNames.has(name) || config.reservedNames.has(name) || blank.includes(name);
  const absent = declared.filter((name) => !has(subject, name));
  const seen = new Set<string>();
  return controls.flatMap((control) => {
    const { name, kind, element } = control;
    // A button's name is rarely meant to be sent. Files sent to a form without file fields are reported elsewhere.
    const isAnother =
      kind === 'submit' || (kind === 'file' && !config.fields.some(({ takeFiles }) => takeFiles));
    if (!isSent(control) || isKnown(name) || seen.has(name) || isAnother) return [];
    seen.add(name);
    const known =
      seen.size < mostSuggestions ? (nearest(name, absent) ?? nearest(name, declared)) : undefined;
    const near = didYouMean(known) || '; declare the field, or remove this control';
    const lost = kind === 'hidden' ? 'this value' : 'the value of this control';
    const message = `${quote(name)} is not a field of ${quote(config.id)}, so the relay ignores ${lost}${near}`;
    return [error(placeOf(element, 'name'), 'field_unknown', message)];
  });
}

/** With this many unknown names, the page belongs to another form, and suggestions make no sense. */
const mostSuggestions = 50;

function nameless({ controls }: PageForm): readonly PageFinding[] {
  const isTyped = (control: Control) =>
    control.kind !== 'submit' && control.kind !== 'hidden' && !isUnsatisfiable(control);
  return controls
    .filter((control) => control.name === '' && isTyped(control) && !control.element.isDisabled)
    .map(({ element }) =>
      warning(element.place, 'name_missing', 'this control has no name, so it is not sent'),
    );
}

function disabled(subject: PageForm): readonly PageFinding[] {
  const seen = new Set<string>();
  const fields = new Map(subject.config.inputs.map((field) => [field.name, field]));
  return subject.controls.flatMap(({ name, element }) => {
    const field = fields.get(name);
    if (!field || !element.isDisabled || seen.has(name) || has(subject, name)) return [];
    seen.add(name);
    const place = placeOf(element, 'disabled');
    const message = `${quote(name)} is disabled here, so it is not sent`;
    return field.required && canAppear(field, subject)
      ? [
          error(
            place,
            'field_disabled',
            `${message}, and it is required: every submission is answered with 422`,
          ),
        ]
      : [warning(place, 'field_disabled', message)];
  });
}

function missing(subject: PageForm): readonly PageFinding[] {
  const { config, controls, form } = subject;
  const names = new Set(controls.map(({ name }) => name));
  // Pages show as many repeated entries as the owner chooses.
  const needed = config.fields.flatMap((field) =>
    field.inputs
      ? field.inputs.validated(new Map()).map((input) => ({ ...input, visible_when: field.visible_when }))
      : field.comesWith === undefined
        ? field
        : [],
  );
  const absent = needed.filter(
    (field) => !field.derive && !has(subject, field.name) && !names.has(field.name),
  );
  const possible = absent.filter((field) => canAppear(field, subject));
  const always = possible.filter(({ required, visible_when }) => required && !visible_when);
  const sometimes = possible.filter(({ required, visible_when }) => required && visible_when);
  const optional = possible.filter(({ required }) => !required);
  const lacking = (severity: typeof error, fields: readonly Field[], says = ''): readonly PageFinding[] => {
    const message = `this form has no ${quoteAll(fields.map(({ name }) => name))}${says}`;
    return fields.length > 0 ? [severity(form.place, 'field_missing', message)] : [];
  };
  const are = always.length === 1 ? 'is' : 'are';
  return [
    ...lacking(error, always, `, which ${are} required: every submission is answered with 422`),
    ...sometimes.flatMap((field) => {
      const { visible_when: when } = field;
      const where = when ? ` where ${inWords(when)}` : '';
      return lacking(error, [field], `, which is required${where}: such submissions are answered with 422`);
    }),
    ...lacking(warning, optional),
  ];
}

/** Whether a visitor of this page can meet the field's `visible_when`. */
function canAppear({ visible_when: when }: Field, subject: PageForm): boolean {
  if (!when) return true;
  return judge(when, (test, isNegated) => {
    const decider = subject.config.fields.find(({ name }) => name === test.field);
    if (!decider || !canAppear(decider, subject)) return false;
    const holdsWith = (values: readonly string[]) => holds(test, () => values) !== isNegated;
    if (holdsWith([])) return true;
    const controls = subject.controls.filter((control) => control.name === test.field && isSent(control));
    if (controls.length === 0) return has(subject, test.field);
    return controls.some(({ choices }) => !choices || choices.some(({ value }) => holdsWith([value])));
  });
}
