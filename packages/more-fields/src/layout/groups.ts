/** `groups`: fields with a common legend. */

import { html, withLinks } from '@form-relay/base/html';
import { labelParam } from '@form-relay/core/fields/label';
import type { Field, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { array, object } from '@form-relay/schema/collections';
import { label, localizedText, name, oneOf } from '@form-relay/schema/scalars';
import { optional, required } from '@form-relay/schema/schema';
import { isSeen, mentionsIn, type Run, runOf, runProblems, steps, wrapRuns } from './steps.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    groups: readonly Run[];
    /** Each field is in one of these runs. */
    steps: readonly Run[];
  }
}

const groups = feature({
  name: 'groups',
  keys: {
    form: {
      groups: optional(
        'Fields with a legend around them: `[{legend: Address, fields: [street, city]}]`.',
        array(
          object(
            {
              legend: required('The heading of the group.', localizedText(label())),
              fields: required(
                'The names of its fields, in the order of `fields`.',
                array(name(), { least: 1 }),
              ),
              required: optional(
                '`one`: visitors must fill in at least one of the fields. Hidden ones do not count.',
                oneOf(['one']),
              ),
            },
            '{legend: Address, fields: [street, city]}',
          ),
        ),
      ),
    },
  },
  configure: ({ form: { groups = [] }, fields }, at) => {
    if (groups.length === 0) return undefined;
    runProblems('groups', mentionsIn(groups), fields, at);
    const runs = groups.map(({ legend = '', fields: names, required }) => ({
      ...runOf(legend, names, fields),
      required,
    }));
    const demanded = runs.map(({ from, to, required }) =>
      required ? fields.slice(from, to).filter(isSeen) : [],
    );
    for (const [index, { length }] of demanded.entries())
      if (length === 1)
        at.in('groups', index, 'required').error('with one field, write required: true in the field');
    return {
      provides: runs,
      check: (field, sent, shown, { sentFiles }) => {
        const all = demanded.find((some) => some.includes(field))?.filter((one) => shown.includes(one)) ?? [];
        const isFilledIn = ({ name, inputs }: Field) =>
          sentFiles.has(name) || (inputs ? inputs.gather(sent) : sent.get(name)?.some(Boolean));
        // Only the first field of the group reports the error.
        if (all[0] !== field || all.some(isFilledIn)) return undefined;
        return { code: 'missing_one_of', params: { fields: all.map(labelParam) } };
      },
      markup: ({ locale }) => ({
        runs: (items) =>
          wrapRuns(
            items,
            runs,
            ({ title, required }, inside) =>
              html`<fieldset class="field-group">\n<legend>${withLinks(locale.text(title))}${required && html` <span class="field-required">${locale.translate({ code: 'one_is_required' })}</span>`}</legend>\n${inside}</fieldset>\n`,
          ),
      }),
    };
  },
});

export const plugin: Plugin = {
  name: 'groups',
  features: [groups, steps],
  messages: {
    en: {
      step_of: 'Step {step} of {steps}',
      next: 'Next',
      back: 'Back',
      missing_one_of: 'Fill in at least one of these: {fields}.',
      one_is_required: '(at least one is required)',
    },
  },
};
