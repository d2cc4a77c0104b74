/** The addresses of a config's owner: a mail that comes back from one of them means that submissions go nowhere. */

import type { Form, Mailbox, Services, Template, Values } from '@form-relay/core/index';
import {
  bareAddressOf,
  mailboxParts,
  parseMailbox,
  sameAddress,
  templateContext,
} from '@form-relay/core/kit';

/** The forms that mail there, or from there, by `sameAddress`. Alerts count as a form. */
export type Owners = ReadonlyMap<string, ReadonlySet<string>>;

type Output = Form['outputs'][number];

const known = new WeakMap<object, Owners>();

export function ownersOf(
  forms: ReadonlyMap<string, Form>,
  alerts: Form | undefined,
  mailFromAddress: string | undefined,
  services: Pick<Services, 'env' | 'now'>,
): Owners {
  const found = known.get(forms);
  if (found) return found;
  const formsOf = new Map<string, Set<string>>();
  const note = (form: string, addresses: readonly string[]) => {
    for (const one of addresses) formsOf.set(one, (formsOf.get(one) ?? new Set()).add(form));
  };
  for (const form of [...forms.values(), ...(alerts ? [alerts] : [])])
    for (const output of form.outputs) note(form.id, addressesOf(output, form, services));
  if (mailFromAddress !== undefined) note('', [sameAddress(mailFromAddress)]);
  known.set(forms, formsOf);
  return formsOf;
}

/** Those that the owner wrote: as such, in the environment, or as the options of a field. */
function addressesOf(output: Output, form: Form, services: Pick<Services, 'env' | 'now'>): readonly string[] {
  const render = (template: Template, values: Values = new Map()) =>
    template.render(templateContext(form.id, values, services.now(), services));
  const textsOf = (template: Template): readonly string[] => {
    if (isTyped(template, form)) return [];
    const chosen = fieldsRead(template, form).flatMap((field) =>
      (field?.offered ?? []).map((value) => render(template, new Map([[field?.name ?? '', [value]]]))),
    );
    return [render(template), ...chosen];
  };
  const textsAt = (...keys: readonly unknown[]) =>
    output.templates.flatMap(({ path: [key], template }) => (keys.includes(key) ? textsOf(template) : []));
  if (output.type === 'smtp' || output.type === 'email') {
    const from: unknown = Reflect.get(output, 'from');
    const sender = from === undefined ? [] : [sameAddress(bareAddressOf(from as Mailbox))];
    return [...textsAt('to', 'cc', 'bcc').flatMap(addressesIn), ...sender];
  }
  // Mail providers' APIs are outputs like any other, so each text that is an address is taken for one of the owner's.
  const { mapping } = output;
  const named = new Set([
    ...output.readsFields.map((read) => read.name),
    ...(mapping instanceof Map ? mapping.values() : []),
  ]);
  const options = form.fields
    .filter(({ name }) => mapping === '*' || named.has(name))
    .flatMap(({ offered = [] }) => offered);
  return [...textsAt('body', 'static'), ...options].flatMap((text) =>
    text.includes('@') ? addressesIn(text) : [],
  );
}

/** Whether visitors type a part of what it renders: any but the options of a field. */
export const isTyped = (template: Template, form: Pick<Form, 'fields'>): boolean =>
  template.pagePaths.size > 0 || fieldsRead(template, form).some((field) => field?.offered === undefined);

const fieldsRead = ({ fieldNames }: Template, { fields }: Pick<Form, 'fields'>) =>
  [...fieldNames].map((name) => fields.find((one) => one.name === name));

function addressesIn(text: string): readonly string[] {
  const found = mailboxParts(text).map(parseMailbox);
  return found.flatMap((one) =>
    one === undefined || found.includes(undefined) ? [] : sameAddress(bareAddressOf(one)),
  );
}
