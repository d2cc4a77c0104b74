/** Recipients of mails: templates separated by commas. A template with submitted values yields a single address. */

import type { Mailbox } from '@form-relay/base/address';
import {
  addressOf,
  mailboxParts,
  needsUtf8,
  parseMailbox,
  parseSubmittedAddress,
} from '@form-relay/base/address';
import { failed } from '@form-relay/base/client_error';
import { withoutEmpty } from '@form-relay/base/values';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { filledText, type Schema, schemaLike, template, templates } from '@form-relay/schema/kinds';
import type { Template, TemplateContext } from '@form-relay/schema/template';
import type { Field } from '../fields/field.ts';
import type { Services } from '../services.ts';
import type { Transport } from './delivery.ts';
import { templateContext } from './delivery.ts';
import type { OutputForm } from './output.ts';

/** @param isOpenToVisitors Whether submitted values may choose the recipients. */
export const recipients = (isOpenToVisitors: boolean): Schema<readonly Template[]> =>
  schemaLike(filledText(template()), (value, at) => {
    if (Array.isArray(value)) {
      const isPlain = value.length > 0 && value.every((one) => typeof one === 'string' && parseMailbox(one));
      return at.error(
        `found a list; write one text, with commas between the addresses: ${isPlain ? value.join(', ') : 'a@example.com, b@example.com'}`,
      );
    }
    const parts = templates()(value, at);
    if (parts?.length === 0) return at.error('expected at least one address');
    for (const [index, part] of (parts ?? []).entries()) {
      const { content, source, isSubmitted, defaults } = part;
      at.needsEnv(...requiredIn(part));
      if (isSubmitted && !isOpenToVisitors)
        at.error(
          'visitors could choose who gets this copy; only `to` may contain submitted values. To mail the visitor, add a `confirmation_mail` to the form',
        );
      if (isSubmitted && [...defaults].some((text) => text.includes(',')))
        at.error('a part with a submitted value must be one address; its default contains a comma');
      if (isSubmitted && /\{\{[^}]*\bjoin\b/.test(source))
        at.error(
          'a part with a submitted value must be one address, so join does not work; for options that are addresses, write {{ .fields.<name> }}, so that each chosen address gets the mail',
        );
      if (typeof content === 'string') warnOfUtf8(content, at);
      if (typeof content === 'string' && !parseMailbox(content)) {
        const isFirstOfName = !source.includes('@') && parts?.[index + 1]?.source.includes('<') === true;
        at.error(
          `"${source.replaceAll(/\s+/g, ' ')}" is not an address like name@example.com, alone or as Name <name@example.com>${hintFor(source, isFirstOfName)}`,
        );
      }
    }
    return parts;
  });

/** The variables without which the part has no valid address. */
const requiredIn = (part: Template): readonly string[] =>
  [...part.neededEnvNames].filter(
    (unset) => !hasRecipients(part, (name) => (name === unset ? undefined : probe)),
  );

/** Whether a part without submitted values has only valid addresses in this environment. */
export function hasRecipients(part: Template, env: TemplateContext['env']): boolean {
  if (part.isSubmitted) return true;
  const listed = mailboxParts(part.render({ fields: new Map(), formId: 'a', submittedAt: '0', env }));
  return listed.length > 0 && listed.every((one) => parseMailbox(one) !== undefined);
}

export function warnOfUtf8(mailbox: string, at: Diagnostics): void {
  const found = parseMailbox(mailbox);
  if (found && needsUtf8(addressOf(found)))
    at.warning(
      'mail servers without SMTPUTF8, such as Amazon SES, cannot send to this address; before the @, most servers allow only a to z, digits and a few signs',
    );
}

const nameWithComma = '; a name with a comma needs quotes: "Berg, Anna" <anna@example.com>';

/** @param isFirstOfName Whether a comma separates it from the rest of a name. */
function hintFor(source: string, isFirstOfName: boolean): string {
  if (isFirstOfName) return nameWithComma;
  return /[;\n]/.test(source) ? '; separate addresses with commas' : hintOfMailbox(source);
}

/** A hint about a text that only resembles an address. */
export function hintOfMailbox(found: string): string {
  if (found.includes('{{')) return '; templates are not allowed here';
  if (/^[^"<@]*,[^"<]*</.test(found)) return nameWithComma;
  return /[^\0-\x7f][^\s<>@]*@/.test(found)
    ? '; before the @, only a to z, digits and a few signs are allowed'
    : '';
}

/** The recipients in the config's own text, without duplicates; `undefined` if they depend on a template. */
export function fixedRecipients(parts: readonly Template[]): readonly Mailbox[] | undefined {
  const all = parts.map(({ content }) => (typeof content === 'string' ? parseMailbox(content) : undefined));
  return all.includes(undefined) ? undefined : onceEach(all.filter((one) => one !== undefined));
}

const onceEach = (mailboxes: readonly Mailbox[]) => [
  ...new Map(mailboxes.map((one) => [addressOf(one), one])).values(),
];

const leftOut = 'a part of `to` with a submitted value is not one address and was left out';

/**
 * Commas from the config or the environment separate recipients; a part with a submitted value yields at most
 * one address. Throws a `ClientError` if a part without submitted values is wrong.
 */
export function recipientsOf(
  key: 'to' | 'cc' | 'bcc',
  parts: readonly Template[],
  context: TemplateContext,
  fields: readonly Field[],
): { readonly mailboxes: readonly Mailbox[]; readonly warning?: string } {
  let warning: string | undefined;
  const mailboxes = parts.flatMap((part) => {
    if (!part.isSubmitted) return configured(key, part.render(context));
    return chosenIn(part, context, fields).flatMap((rendered) => {
      const mailbox = submittedMailbox(part.source, rendered.trim(), parseSubmittedAddress);
      if (mailbox === undefined) warning = leftOut;
      return mailbox ?? [];
    });
  });
  return { mailboxes: onceEach(mailboxes), warning };
}

/** Addresses from the owner's config or environment: dropping one silently would lose submissions. */
function configured(key: string, rendered: string): readonly Mailbox[] {
  const listed = mailboxParts(rendered);
  if (listed.length === 0) throw failed('recipients_empty', { key });
  return listed.map((one) => {
    const mailbox = parseMailbox(one);
    if (mailbox === undefined) throw failed('recipients_malformed', { key });
    return mailbox;
  });
}

/** The name before an address with submitted values; it has no submitted values itself: `Customer <{{ .fields.email }}>`. */
const nameBefore = /^[^{<]*<(?=.*>$)/;

/** An address with submitted values, with or without the owner's name before it. */
export function submittedMailbox(
  source: string,
  rendered: string,
  parse: (text: string) => string | undefined,
): Mailbox | undefined {
  const [before] = nameBefore.exec(source.trim()) ?? [];
  if (before === undefined) return parse(rendered);
  const address = parse(rendered.slice(before.length, -1).trim());
  return address && parseMailbox(`${before}${address}>`);
}

/** A part, repeated for each chosen option: the config lists the options, so visitors cannot add a recipient. */
function chosenIn(part: Template, context: TemplateContext, fields: readonly Field[]): readonly string[] {
  const name = onlyFieldIn(part);
  const chosen = (name !== undefined && context.fields.get(name)) || [];
  const areOwners = chosen.length > 1 && fields.some((field) => field.name === name && field.offered);
  if (name === undefined || !areOwners) return [part.render(context)];
  const { formId, submittedAt } = context;
  return chosen.map((value) =>
    part.render({
      formId,
      submittedAt,
      env: (variable) => context.env(variable),
      fields: new Map([[name, [value]]]),
    }),
  );
}

/** The only value that a template inserts, if that is a field. */
function onlyFieldIn({ fieldNames, pagePaths, envNames }: Template): string | undefined {
  const [name, ...others] = fieldNames;
  return others.length + pagePaths.size + envNames.size > 0 ? undefined : name;
}

/**
 * Finds the error of a field whose address would be the only recipient (`Transport.check`).
 *
 * @param takesUtf8 Whether the server may accept non-ASCII addresses (RFC 6531).
 */
export function recipientCheck(
  parts: readonly Template[],
  form: OutputForm,
  services: Pick<Services, 'env' | 'now'>,
  takesUtf8: boolean,
): Transport['check'] {
  // The config names a recipient, or nothing that a visitor could correct.
  if (parts.some(({ fieldNames, pagePaths }) => fieldNames.size === 0 || pagePaths.size > 0))
    return undefined;
  const { id, fields } = form;
  const names = [...new Set(parts.flatMap(({ fieldNames }) => [...fieldNames]))];
  return (values, isAscii = !takesUtf8) => {
    const context = templateContext(id, values, services.now(), services, form);
    const isUsable = (part: Template) =>
      chosenIn(part, context, fields).some((rendered) => {
        const mailbox = submittedMailbox(part.source, rendered.trim(), parseSubmittedAddress);
        return mailbox !== undefined && !(isAscii && needsUtf8(addressOf(mailbox)));
      });
    if (parts.some(isUsable)) return undefined;
    const fieldOf = (name: string | undefined) => fields.find((one) => one.name === name);
    const filled = names.filter((name) => withoutEmpty(values.get(name) ?? []).length > 0);
    const missing = filled.length === 0 ? fieldOf(names[0]) : undefined;
    if (missing) return { field: missing.name, ...missing.missing };
    // Values that the config lists are the owner's own.
    const name = filled.find((one) => !fieldOf(one)?.offered);
    return name === undefined ? undefined : { field: name, code: 'no_mail_address' };
  };
}

const probe = 'name@relay.invalid';

/** The field whose value is the whole address, as in `{{ .fields.email }}`; `undefined` if the config adds text to it. */
function mailedFieldIn(template: Template): string | undefined {
  const name = onlyFieldIn(template);
  if (name === undefined) return undefined;
  const fields = new Map([[name, [probe]]]);
  const rendered = template.render({ fields, formId: '', submittedAt: '', env: () => undefined }).trim();
  const mailbox = submittedMailbox(template.source, rendered, parseSubmittedAddress);
  return mailbox && addressOf(mailbox).toLowerCase() === probe ? name : undefined;
}

/** Types for which browsers and scripts do not check addresses. */
const plainTypes = ['text', 'textarea'];

/** Suggests to the owner that a field should be of a type for addresses. */
export function addressFieldWarning(template: Template, fields: readonly Field[]): string | undefined {
  const name = mailedFieldIn(template);
  const isPlain = fields.some(
    (field) => field.name === name && plainTypes.includes(field.type) && !field.offered,
  );
  return isPlain
    ? `the value of "${name}" must be an address here; set type: email on the field, so that visitors enter one`
    : undefined;
}
