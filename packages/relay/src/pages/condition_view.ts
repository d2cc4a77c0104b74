import { apiPath } from '../api_urls.ts';
import type { Condition } from '../base/condition.ts';
import { attributes, type Html, html } from '../base/html.ts';
import type { Field } from '../fields/field.ts';
import type { Form } from '../form.ts';
import { slotElementId } from './element_ids.ts';
import { labelIn } from './field_view.ts';

/**
 * Fields that come and go, and the fields that decide it, stand in a slot each. When a deciding field changes, the
 * slots are rendered again, and only those are exchanged whose field came or went.
 */
export function slotting(form: Form, base: string): (field: Field, content: Html | false) => Html | false {
  const conditional = form.fields.filter(({ visible_when }) => visible_when);
  if (conditional.length === 0) return (_, content) => content;
  const deciders = new Set(conditional.map(({ visible_when }) => visible_when?.field));
  const taking = form.fields.filter(({ name, visible_when }) => visible_when || deciders.has(name));
  const slotsOf = (fields: readonly Field[]) => fields.map(({ name }) => `#${slotElementId(form, name)}`);
  const ask = attributes({
    'hx-get': apiPath(base, 'form', form),
    // While someone is typing, so that the Tab key leads into the new field.
    'hx-trigger': 'change, input delay:300ms',
    // Only what decides: the rest is nothing for an address, which may be logged.
    'hx-include': slotsOf(form.fields.filter(({ name }) => deciders.has(name))).join(', '),
    'hx-swap': 'none',
    'hx-select-oob': slotsOf(conditional).join(','),
    // The latest change counts, whichever field it was in.
    'hx-sync': `${slotsOf(taking)[0]}:replace`,
  });
  return (field, content) => {
    if (!taking.includes(field)) return content;
    const id = attributes({ id: slotElementId(form, field.name) });
    return html`<div${id} class="field-slot"${deciders.has(field.name) && ask}>\n${content}</div>\n`;
  };
}

/** A condition in words, for pages that cannot hide the field. */
export function describe({ field, test, values }: Condition, form: Form): string {
  const options = form.fields.find(({ name }) => name === field)?.options ?? [];
  const labels = values.map((chosen) => options.find(({ value }) => value === chosen)?.label ?? chosen);
  const alternatives =
    labels.length === 0
      ? ''
      : labels.reduce((one, other) => form.say({ code: 'one_or_other', params: { one, other } }));
  return form.say({ code: `only_if_${test}`, params: { field: labelIn(form, field), values: alternatives } });
}
