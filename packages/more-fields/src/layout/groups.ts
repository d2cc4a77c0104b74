/** `groups`: fields with a legend around them. */
import type { Plugin } from '@form-relay/core/index';
import {
  array,
  feature,
  html,
  label,
  localizedText,
  name,
  object,
  optional,
  required,
  withLinks,
} from '@form-relay/core/kit';
import { mentionsIn, runProblems, runsOf, wrapRuns } from './runs.ts';

const groups = feature({
  name: 'groups',
  keys: {
    form: {
      groups: optional(
        'Fields with a legend around them.',
        array(
          object(
            {
              legend: required('What the visitor reads above the fields.', localizedText(label())),
              fields: required('The names of fields that follow each other.', array(name(), { least: 1 })),
            },
            '{legend: Address, fields: [street, city]}',
          ),
        ),
      ),
    },
  },
  configure: ({ form, fields }, at) => {
    const { groups = [] } = form;
    if (groups.length === 0) return undefined;
    runProblems('groups', mentionsIn(groups), fields, at);
    const runs = runsOf(
      groups.map(({ legend, fields: names }) => ({ title: legend, fields: names ?? [] })),
      fields,
    );
    return {
      renderMarkup: ({ locale }) => ({
        runs: (items) =>
          wrapRuns(
            items,
            runs,
            ({ title }, inside) =>
              html`<fieldset class="field-group">\n<legend>${withLinks(locale.text(title))}</legend>\n${inside}</fieldset>\n`,
          ),
      }),
    };
  },
});

export const plugin: Plugin = { name: 'groups', features: [groups] };
