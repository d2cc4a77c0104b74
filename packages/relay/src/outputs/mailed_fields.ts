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
}

/** Before an address that a visitor has a hand in: a name in which none had, as in `Customer <{{ .fields.email }}>`. */
export const nameBefore = /^[^{<]*<(?=.*>$)/;

const probe = 'name@relay.invalid';

/** The field whose value alone is the address, as in `{{ .fields.email }}`; `undefined` where the config adds to it. */
export function mailedFieldIn(template: Template): string | undefined {
  const { source, fieldNames, pagePaths, envNames } = template;
  const [name, ...others] = fieldNames;
  if (name === undefined || others.length + pagePaths.size + envNames.size > 0) return undefined;
  const fields = new Map([[name, [probe]]]);
  const rendered = template.render({ fields, formId: '', submittedAt: '', env: () => undefined }).trim();
  const [before] = nameBefore.exec(source.trim()) ?? [];
  const address = before === undefined ? rendered : rendered.slice(before.length, -1).trim();
  return address.toLowerCase() === probe ? name : undefined;
}

/** The fields that outputs mail or reply to. Values that the config lists are the owner's own. */
export const mailedFieldsOf = (
  outputs: readonly Output[],
  fields: readonly Field[],
): readonly MailedField[] =>
  outputs
    .filter(({ target }) => takesMails(target))
    .flatMap(({ templates, when }) =>
      templates.flatMap(({ path: [key], template }) => {
        if (key !== 'to' && key !== 'reply_to') return [];
        const name = mailedFieldIn(template);
        const isOwners = fields.some((field) => field.name === name && field.possibleValues);
        return name === undefined || isOwners ? [] : [{ name, isRecipient: key === 'to', when }];
      }),
    );

/** @param sent The values of the field that are not empty. */
export const takesMail = ({ isRecipient }: MailedField, sent: readonly string[]): boolean =>
  sent.length === 1 &&
  (isRecipient ? parseSubmittedAddress : parseAddress)((sent[0] as string).trim()) !== undefined;

/** Whether a submission with these values has an output that needs the address. */
export const isNeeded = ({ when }: MailedField, values: Values): boolean => !when || applies(when, values);

/** A part of `to`, once for each of several options that were chosen: the config lists them, so visitors add no recipient. */
export function recipientsIn(part: Template, scope: Scope, fields: readonly Field[]): readonly string[] {
  const [name = ''] = part.fieldNames;
  const chosen = scope.fields.get(name) ?? [];
  const areOwners = chosen.length > 1 && fields.some((field) => field.name === name && field.possibleValues);
  if (!areOwners || mailedFieldIn(part) === undefined) return [part.render(scope)];
  return chosen.map((value) => part.render({ ...scope, fields: new Map([[name, [value]]]) }));
}
