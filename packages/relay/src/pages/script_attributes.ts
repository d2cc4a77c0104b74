/** The form's `data-` attributes, which the browser script reads (packages/element/src/element). */

import { attributes, type Html, html } from '../base/html.ts';
import { maxBodyBytes } from '../base/http.ts';
import type { Field } from '../fields/field.ts';
import { isOptedOut } from '../fields/kept.ts';
import type { Addition, Form } from '../form.ts';
import type { MessageCode } from '../messages/message.ts';
import { hasLinks, withLinks, withoutLinks } from '../schema/linked_text.ts';

/** The script's words by attribute: the code of a problem, or of other words for it. */
const spoken = {
  sending: 'sending',
  'not-sent': 'not_sent',
  'not-sent-yet': 'not_sent_yet',
  'not-ready': 'not_ready',
  'summary-title': 'summary_title',
  'field-error': 'field_error',
  'form-expired': 'form_ready_again',
  throttled: 'slow_down_page',
  undelivered: 'not_delivered_page',
} as const satisfies Readonly<Record<string, MessageCode>>;

const spokenInSteps = { ...spoken, 'step-of': 'step_of', next: 'next', back: 'back' } as const;

/** Words for choosing and sending files. */
const spokenOfFiles = {
  'file-drop': 'file_drop',
  'file-remove': 'file_remove',
  'file-sending': 'file_sending',
  'files-too-large': 'files_too_large',
} as const satisfies Readonly<Record<string, MessageCode>>;

/** Problems with files that have other words if the form stays in place. */
const spokenWithFiles = {
  uploads_busy: 'slow_down_page',
  body_over_limit: 'files_too_large',
} as const satisfies Readonly<Record<string, MessageCode>>;

/** Whether its visitors choose files. */
export const takesFiles = ({ fields }: Form): boolean =>
  fields.some(({ takeFiles, drawingOf }) => takeFiles && drawingOf === undefined);

/** Attributes for packages/element/src/files, in every form that a script sends. */
export const fileAttributes = (form: Form): Html =>
  html`${attributes({ 'data-files-limit': filesLimit(form) })}${textAttributes(form, spokenOfFiles)}`;

/** How many bytes of files can be sent at once, with some left for everything else. */
const filesLimit = ({ bodyLimit }: Form) => bodyLimit - Math.min(maxBodyBytes, Math.ceil(bodyLimit / 10));

export function textAttributes(form: Form, codes: Readonly<Record<string, MessageCode>>): readonly Html[] {
  const params = { ...forScript, size: { bytes: filesLimit(form) } };
  return Object.entries(codes).map(
    ([name, code]) => html`\n${attributes({ [`data-${name}`]: form.say({ code, params }) })}`,
  );
}

/** It sends the form from another origin too, and shows and hides fields without asking the relay. */
export function scriptAttributes(form: Form, additions: readonly Addition[]): Html {
  const { error, back } = form.classes ?? {};
  const classes = attributes({
    'data-error-class': error,
    ...(form.steps.length > 0 && {
      'data-back-class': back,
      'data-forget': forgotten(form),
    }),
  });
  const forFiles = takesFiles(form) && html`${fileAttributes(form)}${textAttributes(form, spokenWithFiles)}`;
  return html`${attributes({ 'data-when': conditions(form), 'data-parts': loadedBy(form, additions) })}${additions.map(({ scriptAttributes }) => scriptAttributes)}${ownersWords(form)}${classes}${textAttributes(form, form.steps.length > 0 ? spokenInSteps : spoken)}${forFiles}`;
}

/** Field types whose scripts stand in the relay's own pages. */
const inPages = ['repeat', 'range', 'computed'];

/** What the form's script loads, in this order: what was typed before is filled into all that the fields show. */
function loadedBy(form: Form, additions: readonly Addition[]): string | undefined {
  const all = [...form.fields, ...form.inputs];
  const names = [
    ...inPages.filter((wanted) => all.some(({ type }) => type === wanted)),
    ...partsOf(form),
    form.steps.length > 0 && 'steps',
    takesFiles(form) && 'files',
    ...additions.map(({ part }) => part),
  ];
  return names.filter(Boolean).join(' ') || undefined;
}

/** What a form loads that its browser or htmx sends. On the relay's own pages, browsers choose files by themselves. */
export const partsInPage = (
  form: Form,
  additions: readonly Addition[],
  isFragment: boolean,
): string | undefined =>
  [...partsOf(form), isFragment && takesFiles(form) && 'files', ...additions.map(({ part }) => part)]
    .filter(Boolean)
    .join(' ') || undefined;

/** The scripts that its fields load (packages/element/src/parts). */
export const partsOf = ({ inputs }: Form): readonly string[] => [
  ...new Set(inputs.flatMap(({ part }) => part ?? [])),
];

/** The owner's words for when sending fails: if the relay is down, no answer brings them. */
const ownersWords = ({ failureMessage: words }: Form): Html | undefined =>
  words === undefined
    ? undefined
    : attributes({
        'data-failure-message': withoutLinks(words),
        'data-failure-message-html': hasLinks(words) && withLinks(words).toString(),
      });

/** The fields of which the browser keeps nothing over a reload. */
function forgotten({ fields }: Form): string | undefined {
  const names = fields
    .flatMap((field) =>
      isOptedOut(field) ? (field.parts?.all ?? field) : (field.parts?.all.filter(isOptedOut) ?? []),
    )
    .map(({ name }) => name);
  return names.length > 0 ? JSON.stringify(names) : undefined;
}

/** The script fills them in. */
const forScript = {
  field: '{field}',
  error: '{error}',
  step: '{step}',
  steps: '{steps}',
  name: '{name}',
  percent: '{percent}',
  time: '{time}',
};

/** A list for each field that comes and goes: its name, with a dot after that of one of parts; whether the browser demands it, the field that decides, how, by what. */
function conditions({ fields }: Form): string | undefined {
  const rules = fields.flatMap(({ name, required, layout, parts, visible_when: when }) =>
    when
      ? [
          [
            parts ? `${name}.` : name,
            required && hasControl(layout) ? 1 : 0,
            when.field,
            when.test,
            ...when.values,
          ],
        ]
      : [],
  );
  return rules.length > 0 ? JSON.stringify(rules) : undefined;
}

const hasControl = (layout: Field['layout']) => layout !== 'group' && layout !== 'parts';
