/** Fields whose value is an address to which mails or replies go. */
import { parseAddress, parseSubmittedAddress } from '../base/address.ts';
import type { Condition } from '../base/condition.ts';
import type { Values } from '../base/values.ts';
import type { Field } from '../fields/field.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import { takesMails } from '../transports/index.ts';
import type { Output } from './output.ts';
import { applies } from './payload.ts';

export interface MailedField {
  readonly name: string;
  /** Whether mails go there, and not replies alone. */
  readonly isRecipient: boolean;
  /** The condition of the output that needs it. */
  readonly when?: Condition | undefined;
  /** The recipient that the value makes, where the mail has no other and must be sent. */
  readonly only?: Template | undefined;
  /** Whether the config lists the values, which are the owner's own. */
  readonly isOwners?: boolean;
}

/** Before an address that a visitor has a hand in: a name in which none had, as in `Customer <{{ .fields.email }}>`. */
export const nameBefore = /^[^{<]*<(?=.*>$)/;

const probe = 'name@relay.invalid';

/** The field whose value alone is the address, as in `{{ .fields.email }}`; `undefined` where the config adds to it. */
export function mailedFieldIn(template: Template): string | undefined {
  const name = onlyFieldIn(template);
  return name !== undefined && addressIn(template, name, [probe]).toLowerCase() === probe ? name : undefined;
}

/** The one thing that a template fills in, if it is a field. */
function onlyFieldIn({ fieldNames, pagePaths, envNames }: Template): string | undefined {
  const [name, ...others] = fieldNames;
  return others.length + pagePaths.size + envNames.size > 0 ? undefined : name;
}

/** Renders a template for one field, and leaves out a name before the address. */
function addressIn(template: Template, name: string, sent: readonly string[]): string {
  const fields = new Map([[name, sent]]);
  const rendered = template.render({ fields, formId: '', submittedAt: '', env: () => undefined }).trim();
  const [before] = nameBefore.exec(template.source.trim()) ?? [];
  return before === undefined ? rendered : rendered.slice(before.length, -1).trim();
}

export const mailedFieldsOf = (
  outputs: readonly Output[],
  fields: readonly Field[],
): readonly MailedField[] =>
  outputs
    .filter(({ target }) => takesMails(target))
    .flatMap(({ templates, when, on_error, aside, waiting }) => {
      // Few submissions reach an output of those set aside or waiting: it must not demand a value of all.
      const mustSend = on_error === 'fail' && aside !== 'only' && waiting !== 'only';
      const isOnly = mustSend && templates.filter(({ path: [key] }) => key === 'to').length === 1;
      return templates.flatMap(({ path: [key], template }): readonly MailedField[] => {
        if (key !== 'to' && key !== 'reply_to') return [];
        const only = isOnly && key === 'to' ? template : undefined;
        const name = only ? onlyFieldIn(only) : mailedFieldIn(template);
        const isOwners = fields.some((field) => field.name === name && field.possibleValues);
        if (name === undefined || (isOwners && !only)) return [];
        return [{ name, isRecipient: key === 'to', when, only, isOwners }];
      });
    });

/**
 * Whether a mail can be sent.
 *
 * @param sent The values of the field that are not empty.
 */
export function takesMail(mailed: MailedField, sent: readonly string[]): boolean {
  const { name, isRecipient, only, isOwners } = mailed;
  if (sent.length === 0 ? !only : isOwners) return true;
  const address = only ? addressIn(only, name, sent) : sent.length === 1 ? (sent[0] as string).trim() : '';
  return (isRecipient ? parseSubmittedAddress : parseAddress)(address) !== undefined;
}

/** Whether a submission with these values has an output that needs the address. */
export const isNeeded = ({ when }: MailedField, values: Values): boolean => !when || applies(when, values);

/** A part of `to`, once for each of several options that were chosen: the config lists them, so visitors add no recipient. */
export function recipientsIn(part: Template, scope: Scope, fields: readonly Field[]): readonly string[] {
  const [name = ''] = part.fieldNames;
  const chosen = scope.fields.get(name) ?? [];
  const areOwners = chosen.length > 1 && fields.some((field) => field.name === name && field.possibleValues);
  if (!areOwners || onlyFieldIn(part) === undefined) return [part.render(scope)];
  return chosen.map((value) => part.render({ ...scope, fields: new Map([[name, [value]]]) }));
}
