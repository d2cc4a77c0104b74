/** Groups, steps and rows contain consecutive fields. */

import { decidersOf } from '@form-relay/base/condition';
import { attributes, html } from '@form-relay/base/html';
import { heading } from '@form-relay/core/html/form_view';
import type {
  Condition,
  Diagnostics,
  Field,
  FormView,
  Html,
  HtmlValue,
  LocalizedText,
  Path,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { array, object } from '@form-relay/schema/collections';
import { condition } from '@form-relay/schema/condition';
import { checkCondition } from '@form-relay/schema/condition_check';
import { label, localizedText, name } from '@form-relay/schema/scalars';
import { optional, optionalBlock, required } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';

/** The index of the first field, and the index after the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Consecutive fields with a title. */
export interface Run extends Range {
  readonly title: LocalizedText;
  readonly required?: 'one' | undefined;
}

interface Naming {
  readonly fields?: readonly string[] | undefined;
}

/** Another function checks the names. */
export function runOf(title: LocalizedText, names: readonly string[] = [], fields: readonly Field[]): Run {
  const places = names.map((name) => fields.findIndex((field) => field.name === name));
  return { title, from: Math.min(...places), to: Math.max(...places) + 1 };
}

/** Replaces the items of each run by one item, in the place of the first. */
export function wrapRuns<R extends Range>(
  items: readonly HtmlValue[],
  runs: readonly R[],
  view: (run: R, inside: readonly HtmlValue[], index: number) => Html,
): readonly HtmlValue[] {
  const wrapped = [...items];
  for (const [index, run] of runs.entries()) {
    const inside = items.slice(run.from, run.to);
    wrapped.fill(undefined, run.from, run.to);
    wrapped[run.from] = view(run, inside, index);
  }
  return wrapped;
}

interface Mention {
  readonly name: string;
  /** The index of the group or step, and the index of the name in it. */
  readonly run: number;
  readonly at: number;
}

export const mentionsIn = (runs: readonly Naming[]): readonly Mention[] =>
  runs.flatMap(({ fields = [] }, run) => fields.map((name, at) => ({ name, run, at })));

/** The fields that visitors see. Groups and steps need not name the others. */
const visibleNames = (fields: readonly Field[]): readonly string[] =>
  fields.filter(isSeen).map(({ name }) => name);

export const isSeen = ({ layout }: Field): boolean => layout !== 'bare';

/** Reports groups and steps that do not list consecutive fields in the order of `fields`, each once. */
export function runProblems(
  key: 'groups' | 'steps',
  mentions: readonly Mention[],
  fields: readonly Field[],
  at: Diagnostics,
): void {
  const names = fields.map(({ name }) => name);
  for (const [index, { name, run, at: place }] of mentions.entries()) {
    const here = at.in(key, run, 'fields', place);
    if (!names.includes(name))
      here.error(`"${name}" is not a declared field${didYouMean(nearest(name, names))}`);
    else if (mentions.findIndex((other) => other.name === name) < index)
      here.error(`"${name}" is in ${key === 'steps' ? 'a step' : 'a group'} already`);
  }
  const order = visibleNames(fields);
  const known = mentions.filter(({ name }) => order.includes(name));
  const reported = new Set<number>();
  for (const [index, mention] of known.entries()) {
    const before = known[index - 1];
    // Between groups, fields may be missing, and groups may be in any order.
    if (!before || (key === 'groups' && before.run !== mention.run) || reported.has(mention.run)) continue;
    const step = order.indexOf(mention.name) - order.indexOf(before.name);
    const isFine = key === 'groups' ? step === 1 : step > 0;
    if (isFine || step === 0) continue;
    reported.add(mention.run);
    at.in(key, mention.run, 'fields', mention.at).error(
      `"${mention.name}" does not follow "${before.name}" in fields; groups and steps must have the order of fields`,
    );
  }
}

/** `steps`: a form that the script shows one step at a time. */

export const steps = feature({
  name: 'steps',
  after: ['groups'],
  keys: {
    form: {
      steps: optional(
        'Shows the form in steps (`[{title: You, fields: [name]}]`) if its script runs. The steps list every visible field once, in the order of `fields`.',
        array(
          object(
            {
              title: required('The heading of the step.', localizedText(label())),
              fields: required(
                'The names of its fields, in the order of `fields`.',
                array(name(), { least: 1 }),
              ),
              visible_when: optionalBlock(
                'Shown only if fields of earlier steps have certain values, as in `visible_when` of a field.',
                condition,
              ),
            },
            '{title: About you, fields: [name, email]}',
          ),
        ),
      ),
    },
  },
  completeFields: ({ form: { steps = [] }, fields }, at) => {
    for (const [index, { visible_when: when, fields: names = [] }] of steps.entries())
      if (when) hideStep(when, names, fields, at.in('steps', index, 'visible_when'));
  },
  configure: ({ form, fields, pathOf }, at) => {
    const { steps = [], title, groups }: Written & typeof form = form;
    if (steps.length === 0) return undefined;
    const mentions = mentionsIn(steps);
    for (const name of visibleNames(fields))
      if (!mentions.some((one) => one.name === name || nearest(one.name, [name]) !== undefined))
        at.in('steps').error(`no step has the field "${name}"; every visible field must be in a step`);
    runProblems('steps', mentions, fields, at);
    groupsAcrossSteps(groups ?? [], mentions, at);
    laterDeciders(fields, mentions, at, pathOf);
    const runs = covering(
      steps.map(({ title = '', fields: names }) => runOf(title, names, fields)),
      fields.length,
    );
    return {
      provides: runs,
      markup: (view) => {
        const { locale, hasHeading } = view;
        const level = hasHeading !== false && title !== undefined ? 3 : 2;
        return {
          ...(view.medium && { part: 'steps', attributes: scriptAttributes(view) }),
          runs: (items) =>
            wrapRuns(items, runs, ({ title }, inside, index) => {
              const section = attributes({ class: 'form-step', 'data-step': index + 1 });
              return html`<section${section}>\n${heading(level, 'form-step-title', locale.text(title))}\n${inside}</section>\n`;
            }),
        };
      },
    };
  },
});

/** Keys of other features. */
interface Written {
  readonly title?: unknown;
  readonly groups?: readonly Naming[];
}

const scriptAttributes = ({ fields, classes, locale: { translate } }: FormView) => ({
  'data-back-class': classes?.back,
  'data-forget': forgotten(fields),
  'data-step-of': translate({ code: 'step_of', params: { step: '{step}', steps: '{steps}' } }),
  'data-next': translate({ code: 'next' }),
  'data-back': translate({ code: 'back' }),
});

/** Whether the owner does not want browsers to store the field. */
const isOptedOut = ({ autocomplete, ...field }: Field & { readonly remember?: boolean }): boolean =>
  field.remember === false || autocomplete?.trim().toLowerCase() === 'off';

/** The fields that the browser must not store across a reload. */
function forgotten(fields: readonly Field[]): string | undefined {
  const names = fields.flatMap((field) => {
    const inputs = field.inputs?.all ?? [field];
    return (isOptedOut(field) ? inputs : inputs.filter(isOptedOut)).map(({ name }) => name);
  });
  return names.length > 0 ? JSON.stringify(names) : undefined;
}

/** Includes hidden fields, which stay where they are declared, and puts trailing notes into the last step. */
const covering = (runs: readonly Run[], length: number): readonly Run[] =>
  runs.map(({ title, to }, index) => ({
    title,
    from: runs[index - 1]?.to ?? 0,
    to: index === runs.length - 1 ? length + 1 : to,
  }));

function groupsAcrossSteps(groups: readonly Naming[], steps: readonly Mention[], at: Diagnostics): void {
  for (const [run, { fields: names = [] }] of groups.entries()) {
    const stepsOf = names.map((name) => steps.find((one) => one.name === name)?.run);
    const [first] = stepsOf;
    const place = stepsOf.findIndex((step) => step !== undefined && step !== first);
    if (first !== undefined && place > 0)
      at.in('groups', run, 'fields', place).error(
        `"${names[place]}" is not in the same step as the field before it in this group`,
      );
  }
}

/** A step without visible fields is skipped, so the condition of a step is added to each of its fields. */
function hideStep(
  when: Condition,
  names: readonly string[],
  fields: readonly Field[],
  at: Diagnostics,
): void {
  const before = at.mistakes.length;
  checkCondition(when, fields, at);
  if (at.mistakes.length > before) return;
  for (const field of fields)
    if (names.includes(field.name)) {
      const own = field.visible_when;
      Object.assign(field, { visible_when: own ? { all: [when, own] } : when });
    }
}

/** Reports fields in a later step than the fields that they show or hide. */
function laterDeciders(
  fields: readonly Field[],
  mentions: readonly Mention[],
  at: Diagnostics,
  pathOf: (field: Field) => Path,
): void {
  const stepOf = new Map(mentions.map(({ name, run }) => [name, run]));
  for (const field of fields)
    for (const decider of field.visible_when ? decidersOf(field.visible_when) : [])
      if ((stepOf.get(decider) ?? 0) > (stepOf.get(field.name) ?? Infinity))
        at.in(...pathOf(field), 'visible_when').error(
          `"${decider}" is in a later step than "${field.name}", which it shows or hides`,
        );
}
