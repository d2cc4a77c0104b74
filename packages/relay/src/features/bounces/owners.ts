/** The addresses of a config's owner: a mail that comes back from one of them means that submissions go nowhere. */
import { addressOf, mailboxParts, parseMailbox } from '../../base/address.ts';
import type { Effects } from '../../base/effects.ts';
import { sameAddress } from '../../base/same_address.ts';
import type { Form, Whole } from '../../form.ts';
import type { Output } from '../../outputs/output.ts';
import type { Scope, Template } from '../../schema/template/render.ts';
import { scopeOf } from '../../schema/template/scope.ts';
import { recipientsOf, takesMails } from '../../transports/index.ts';
import { everyOutput } from '../visitor_mails/form_mails.ts';

/** The forms that mail there, or from there, by `sameAddress`. Alerts count as a form. */
export type Owners = ReadonlyMap<string, ReadonlySet<string>>;

const known = new WeakMap<object, Owners>();

/** Found once for each config. */
export function ownersOf(
  whole: Pick<Whole, 'forms' | 'alerts'>,
  mailFromAddress: string | undefined,
  { env, now }: Pick<Effects, 'env' | 'now'>,
): Owners {
  const found = known.get(whole.forms);
  if (found) return found;
  const formsOf = new Map<string, Set<string>>();
  const note = (form: string, addresses: readonly string[]) => {
    for (const one of addresses) formsOf.set(one, (formsOf.get(one) ?? new Set()).add(form));
  };
  const forms: readonly Form[] = [...whole.forms.values(), ...(whole.alerts ? [whole.alerts.form] : [])];
  for (const form of forms) {
    const scopeWith: ScopeWith = (...values) =>
      scopeOf(form.id, { values: new Map(values), receivedAt: now() }, { env });
    for (const { output } of everyOutput(form)) {
      const to = recipientsIn(output, form, scopeWith);
      note(form.id, [...to, ...sendersOf(output), ...addressesSentBy(output, form, scopeWith)]);
    }
  }
  if (mailFromAddress !== undefined) note('', [sameAddress(mailFromAddress)]);
  known.set(whole.forms, formsOf);
  return formsOf;
}

type ScopeWith = (...values: readonly (readonly [field: string, values: readonly string[]])[]) => Scope;

/** Those that the owner wrote: as such, in the environment, or as the options of a field. */
const recipientsIn = ({ target }: Output, form: Form, scopeWith: ScopeWith): readonly string[] =>
  recipientsOf(target).flatMap((template) => (textsOf(template, form, scopeWith) ?? []).flatMap(addressesIn));

/** Whether visitors type a part of what it renders: any but the options of a field. */
export const isTyped = (template: Template, form: Form): boolean =>
  template.pagePaths.size > 0 ||
  fieldsRead(template, form).some((field) => field?.possibleValues === undefined);

const fieldsRead = ({ fieldNames }: Template, { fields }: Form) =>
  [...fieldNames].map((name) => fields.find((one) => one.name === name));

/** The texts that it may render: one, or one for each option of the fields that it reads. `undefined`: visitors type them. */
function textsOf(template: Template, form: Form, scopeWith: ScopeWith): readonly string[] | undefined {
  if (isTyped(template, form)) return undefined;
  const chosen = fieldsRead(template, form).flatMap((field) =>
    (field?.possibleValues ?? []).map((value) => template.render(scopeWith([field?.name ?? '', [value]]))),
  );
  return [template.render(scopeWith()), ...chosen];
}

/** Mail providers' APIs are outputs like any other, so each text that is an address is taken for one of the owner's. */
function addressesSentBy(
  { target, templates, readsFields, mapping }: Output,
  form: Form,
  scopeWith: ScopeWith,
): readonly string[] {
  if (target?.via !== 'http') return [];
  const texts = templates
    .filter(({ path: [key] }) => key === 'body' || key === 'static')
    .flatMap(({ template }) => textsOf(template, form, scopeWith) ?? []);
  const names = new Set(readsFields.map(({ name }) => name));
  const read =
    mapping === '*' ? form.fields : form.fields.filter(({ name }) => names.has(name) || isIn(mapping, name));
  const options = read.flatMap(({ possibleValues = [] }) => possibleValues);
  return [...texts, ...options].flatMap((text) => (text.includes('@') ? addressesIn(text) : []));
}

const isIn = (mapping: ReadonlyMap<string, string> | undefined, name: string) =>
  mapping !== undefined && [...mapping.values()].includes(name);

/** None unless it holds addresses alone. */
function addressesIn(text: string): readonly string[] {
  const found = mailboxParts(text).map(parseMailbox);
  return found.flatMap((one) =>
    one === undefined || found.includes(undefined) ? [] : sameAddress(addressOf(one)),
  );
}

const sendersOf = ({ target }: Output): readonly string[] =>
  takesMails(target) && target.from !== undefined && !('isDefaultSender' in target && target.isDefaultSender)
    ? [sameAddress(addressOf(target.from))]
    : [];
