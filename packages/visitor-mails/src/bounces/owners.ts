/** The addresses of a config's owner: a mail that comes back from one of them means that submissions go nowhere. */
import type { Form, Services, Values } from '@form-relay/core/index';
import {
  bareAddressOf,
  isMap,
  mailboxParts,
  parseMailbox,
  sameAddress,
  Template,
  templateContext,
} from '@form-relay/core/kit';
import type { Mailbox } from '@form-relay/core/services';

/** The forms that mail there, or from there, by `sameAddress`. Alerts count as a form. */
export type Owners = ReadonlyMap<string, ReadonlySet<string>>;

type Output = Form['outputs'][number];
type Keys = Readonly<Record<string, unknown>>;

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
  const keys: Keys = { ...output };
  const render = (template: Template, values: Values = new Map()) =>
    template.render(templateContext(form.id, values, services.now(), services));
  const textsOf = (template: Template): readonly string[] => {
    const fields = fieldsRead(template, form);
    if (isTyped(template, form)) return [];
    const chosen = fields.flatMap((field) =>
      (field?.offered ?? []).map((value) => render(template, new Map([[field?.name ?? '', [value]]]))),
    );
    return [render(template), ...chosen];
  };
  if (output.type === 'smtp' || output.type === 'email') {
    const to = ['to', 'cc', 'bcc'].flatMap((key) => templatesIn(keys[key]));
    const from = keys.from === undefined ? [] : [sameAddress(bareAddressOf(keys.from as Mailbox))];
    return [...to.flatMap(textsOf).flatMap(addressesIn), ...from];
  }
  // Mail providers' APIs are outputs like any other, so each text that is an address is taken for one of the owner's.
  const texts = [...templatesIn(keys.body), ...templatesIn(keys.static)].flatMap(textsOf);
  const { mapping } = output;
  const named = new Set([
    ...output.readsFields.map((read) => read.name),
    ...(mapping instanceof Map ? mapping.values() : []),
  ]);
  const options = form.fields
    .filter(({ name }) => mapping === '*' || named.has(name))
    .flatMap(({ offered = [] }) => offered);
  return [...texts, ...options].flatMap((text) => (text.includes('@') ? addressesIn(text) : []));
}

/** Whether visitors type a part of what it renders: any but the options of a field. */
export const isTyped = (template: Template, form: Pick<Form, 'fields'>): boolean =>
  template.pagePaths.size > 0 || fieldsRead(template, form).some((field) => field?.offered === undefined);

const fieldsRead = ({ fieldNames }: Template, { fields }: Pick<Form, 'fields'>) =>
  [...fieldNames].map((name) => fields.find((one) => one.name === name));

function templatesIn(value: unknown): readonly Template[] {
  if (value instanceof Template) return [value];
  if (value instanceof Map) return [...value.values()].flatMap(templatesIn);
  if (Array.isArray(value)) return value.flatMap(templatesIn);
  return isMap(value) ? Object.values(value).flatMap(templatesIn) : [];
}

function addressesIn(text: string): readonly string[] {
  const found = mailboxParts(text).map(parseMailbox);
  return found.flatMap((one) =>
    one === undefined || found.includes(undefined) ? [] : sameAddress(bareAddressOf(one)),
  );
}
