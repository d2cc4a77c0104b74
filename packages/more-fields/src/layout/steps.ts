/** `steps`: a form that its script shows one step at a time. */
import type { Field, FormView, Plugin } from '@form-relay/core/index';
import {
  array,
  attributes,
  feature,
  heading,
  html,
  label,
  localizedText,
  name,
  nearest,
  object,
  optional,
  required,
} from '@form-relay/core/kit';
import { isOptedOut } from './remember.ts';
import { type Mention, mentionsIn, type Run, runProblems, runsOf, visibleNames, wrapRuns } from './runs.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** Each field is in one of them. */
    steps: readonly Run[];
  }
}

const steps = feature({
  name: 'steps',
  after: ['groups'],
  keys: {
    form: {
      steps: optional(
        'Shows the form one step at a time, where its script runs. The steps name every field that visitors see, once and in the order of `fields`.',
        array(
          object(
            {
              title: required('The heading of the step.', localizedText(label())),
              fields: required(
                'The names of its fields, in the order of `fields`.',
                array(name(), { least: 1 }),
              ),
            },
            '{title: About you, fields: [name, email]}',
          ),
        ),
      ),
    },
  },
  configure: ({ form, fields }, at) => {
    const { steps = [] } = form;
    if (steps.length === 0) return undefined;
    const mentions = mentionsIn(steps);
    for (const name of visibleNames(fields))
      if (!mentions.some((one) => one.name === name || nearest(one.name, [name]) !== undefined))
        at.in('steps').error(`no step has the field "${name}"; every field that visitors see is in one`);
    runProblems('steps', mentions, fields, at);
    for (const { name, run, at: place } of acrossSteps(groupMentions(form), mentions))
      at.in('groups', run, 'fields', place).error(
        `"${name}" is in another step than the field before it in this group`,
      );
    const runs = covering(
      runsOf(
        steps.map(({ title, fields: names }) => ({ title: title ?? '', fields: names ?? [] })),
        fields,
      ),
      fields.length,
    );
    return {
      provides: runs,
      renderMarkup: (view) => {
        const { locale, hasHeading } = view;
        const level = hasHeading !== false && hasTitle(form) ? 3 : 2;
        return {
          ...(view.medium === 'script' && { part: 'steps', attributes: scriptAttributes(view) }),
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

/** What the script of steps reads. */
const scriptAttributes = ({ fields, classes, locale: { translate } }: FormView) => ({
  'data-back-class': classes?.back,
  'data-forget': forgotten(fields),
  'data-step-of': translate({ code: 'step_of', params: { step: '{step}', steps: '{steps}' } }),
  'data-next': translate({ code: 'next' }),
  'data-back': translate({ code: 'back' }),
});

/** The fields of which the browser keeps nothing over a reload. */
function forgotten(fields: readonly Field[]): string | undefined {
  const names = fields.flatMap((field) => {
    const inputs = field.inputs?.all ?? [field];
    return (isOptedOut(field) ? inputs : inputs.filter(isOptedOut)).map(({ name }) => name);
  });
  return names.length > 0 ? JSON.stringify(names) : undefined;
}

const hasTitle = (form: Readonly<Record<string, unknown>>) => form.title !== undefined;

/** Hidden fields stand where they are declared, and trailing notes in the last step. */
const covering = (runs: readonly Run[], length: number): readonly Run[] =>
  runs.map(({ title, to }, index) => ({
    title,
    from: index === 0 ? 0 : (runs[index - 1]?.to ?? 0),
    to: index === runs.length - 1 ? length + 1 : to,
  }));

const groupMentions = (form: Readonly<Record<string, unknown>>): readonly Mention[] =>
  Array.isArray(form.groups) ? mentionsIn(form.groups) : [];

/** The first field of each group that is in another step than those before it. */
function acrossSteps(groups: readonly Mention[], steps: readonly Mention[]): readonly Mention[] {
  const stepOf = new Map(steps.map(({ name, run }) => [name, run]));
  const firstOf = new Map(groups.toReversed().map(({ name, run }) => [run, stepOf.get(name)]));
  const across = groups.filter(({ name, run }) => {
    const [step, first] = [stepOf.get(name), firstOf.get(run)];
    return step !== undefined && first !== undefined && step !== first;
  });
  return across.filter(({ run }, index) => across.findIndex((one) => one.run === run) === index);
}

export const plugin: Plugin = {
  name: 'steps',
  features: [steps],
  messages: { en: { step_of: 'Step {step} of {steps}', next: 'Next', back: 'Back' } },
};
