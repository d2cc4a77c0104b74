import { parseTemplate } from '@form-relay/relay/schema';
import type { MovedField } from './fields.ts';
import { note, type Remark, toDo } from './remark.ts';
import { type Destination, isAddress } from './services.ts';
import type { SpecialFields } from './special_fields.ts';
import type { Keys } from './yaml_text.ts';

export interface MovedOutput {
  readonly keys: Keys;
  readonly remarks: readonly Remark[];
}

/** The output of a form: the address that took its submissions if that is the owner's, or else a mail. */
export function outputOf(
  destination: Destination,
  fields: readonly MovedField[],
  special: SpecialFields,
): MovedOutput {
  const { forwardTo, recipient } = destination;
  if (forwardTo) {
    const isSalesforce = /WebTo(Lead|Case)$/i.test(forwardTo.pathname);
    const keys = { type: isSalesforce ? 'crm_web2lead' : 'http_post', url: forwardTo.href, mapping: '*' };
    const sent = `see that ${forwardTo.host}, where the page sent the form itself, takes it from the relay as well`;
    return { keys, remarks: [toDo(sent)] };
  }
  return mail(recipient, fields, special);
}

/** Hosts that nobody can have: until the owner writes others, nothing leaves. */
const mailServer = 'smtp.your-provider.invalid';
const site = 'your-site.invalid';

function mail(
  recipient: string | undefined,
  fields: readonly MovedField[],
  special: SpecialFields,
): MovedOutput {
  const copies = (special.copyTo ?? '').split(/[,;]/).map((part) => part.trim());
  const to = [recipient ?? `you@${site}`, ...copies.filter(isAddress)];
  const lost = copies.filter((part) => part !== '' && !isAddress(part));
  const { asked, keys } =
    recipient === undefined
      ? { asked: 'who gets the mail, and which server sends it', keys: 'host, username, from and to' }
      : { asked: 'which server sends the mail', keys: 'host, username and from' };
  return {
    keys: {
      type: 'smtp',
      host: mailServer,
      username: 'forms',
      password: '{{ env "SMTP_PASSWORD" }}',
      from: `website@${site}`,
      to: to.join(', '),
      subject: subject(fields, special),
      reply_to: replyTo(fields, special),
      mapping: '*',
    },
    remarks: [
      toDo(`the page does not say ${asked}: write ${keys}, and set SMTP_PASSWORD in the environment`),
      ...(lost.length > 0
        ? [note(`copies went to ${lost.join(', ')}, which is no bare address; add it to the output's to`)]
        : []),
    ],
  };
}

function subject(fields: readonly MovedField[], special: SpecialFields): string | undefined {
  if (special.subject !== undefined) return literal(special.subject);
  const asked = fields.find(({ name, keys }) => /^_?subject$/i.test(name) && keys.type === undefined);
  return asked && `{{ default "Form submission" ${reference(asked.name)} }}`;
}

function replyTo(fields: readonly MovedField[], { replyTo: fixed }: SpecialFields): string | undefined {
  if (fixed !== undefined && isAddress(fixed)) return fixed;
  const mails = fields.filter(({ keys }) => keys.type === 'email');
  const [first] = mails;
  const meant = mails.find(({ name }) => /^(_?reply_?to|e-?mail)$/i.test(name)) ?? first;
  return meant && `{{ ${inBraces(meant.name)} }}`;
}

/** A field's value in a template; in parentheses where it is a call. */
const reference = (name: string) => (isPath(name) ? `.fields.${name}` : `(${call(name)})`);
const inBraces = (name: string) => (isPath(name) ? `.fields.${name}` : call(name));
const call = (name: string) => `join "," (values ${JSON.stringify(name)})`;

function isPath(name: string): boolean {
  const template = parseTemplate(`{{ .fields.${name} }}`);
  return template.ok && template.value.fieldNames.has(name);
}

/** Text that holds the braces of a template, which it is not. */
const literal = (text: string) => text.replaceAll('{{', '{{ "{{" }}').replaceAll(/[\r\n]+/g, ' ');
