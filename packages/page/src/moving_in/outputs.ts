import { parseTemplate } from '@form-relay/schema/template/parse';
import { quoteAll } from '../check/page_form.ts';
import { type Destination, isAddress } from './addresses.ts';
import { type Keys, type Remark, toDo, when } from './config_text.ts';
import type { MovedField } from './fields.ts';
import type { SpecialFields } from './special_fields.ts';

export interface MovedOutput {
  readonly keys: Keys;
  readonly remarks: readonly Remark[];
}

type MailFields = Pick<SpecialFields, 'subject' | 'replyTo' | 'cc' | 'bcc'>;

/** The output of a form: the URL that received its submissions, if it is the owner's, or else a mail. */
export function outputOf(
  destination: Destination,
  fields: readonly MovedField[],
  special: MailFields,
): MovedOutput {
  const { forwardTo, recipients } = destination;
  if (!forwardTo) return mail(recipients, fields, special);
  const isSalesforce = /WebTo(Lead|Case)$/i.test(forwardTo.pathname);
  const keys = { type: isSalesforce ? 'crm_web2lead' : 'http_post', url: forwardTo.href, mapping: '*' };
  const sent = `check that ${forwardTo.host}, the page's previous receiver, also accepts requests from the relay`;
  return { keys, remarks: [toDo(sent)] };
}

/** Hosts that nobody can register, so that nothing is sent until the owner writes others. */
const mailServer = 'smtp.your-provider.invalid';
const site = 'your-site.invalid';

export function mail(
  recipients: readonly string[],
  fields: readonly MovedField[],
  special: MailFields = { cc: [], bcc: [] },
): MovedOutput {
  const to = recipients.length > 0 ? recipients : [`you@${site}`];
  const { cc, bcc } = special;
  const { template, unknown } = subject(fields, special);
  const { missing, keys } =
    recipients.length === 0
      ? {
          missing: 'the recipient of the mail, and the server that sends it',
          keys: 'host, username, from and to',
        }
      : { missing: 'which server sends the mail', keys: 'host, username and from' };
  const unfilled = `the subject contains ${quoteAll(unknown)}, a placeholder of the service; here, {{ .fields.NAME }} inserts a field`;
  return {
    keys: {
      type: 'smtp',
      host: mailServer,
      username: 'forms',
      password: '{{ env "SMTP_PASSWORD" }}',
      from: `website@${site}`,
      to: to.join(', '),
      cc: cc.length > 0 ? cc.join(', ') : undefined,
      bcc: bcc.length > 0 ? bcc.join(', ') : undefined,
      subject: template,
      reply_to: replyTo(fields, special),
      mapping: '*',
    },
    remarks: [
      toDo(`set ${missing}: write ${keys}, and set SMTP_PASSWORD in the environment`),
      ...when(unknown.length > 0, toDo(unfilled)),
    ],
  };
}

/** Turns field placeholders into templates. `unknown`: other text that looks like a placeholder. */
function subject(fields: readonly MovedField[], special: MailFields) {
  if (special.subject !== undefined) return filledIn(special.subject, fields);
  const subjectField = fields.find(({ name, keys }) => /^_?subject$/i.test(name) && keys.type === undefined);
  return {
    template: subjectField && `{{ default "Form submission" ${reference(subjectField.name)} }}`,
    unknown: [],
  };
}

/** `%{name}`, `{{ name }}`, `${name}` and `{name}`, as services write a field's value. */
const placeholder = /([%$]?\{{1,2}\s*[^{}]+?\s*\}{1,2})/;

function filledIn(text: string, fields: readonly MovedField[]) {
  const names = new Set(fields.map(({ name }) => name));
  const unknown: string[] = [];
  const parts = text.split(placeholder).map((part, at) => {
    if (at % 2 === 0) return literal(part);
    const name = part.replaceAll(/^[%$]?\{+\s*|\s*\}+$/g, '');
    if (names.has(name)) return `{{ ${inBraces(name)} }}`;
    unknown.push(part);
    return literal(part);
  });
  return { template: parts.join(''), unknown };
}

function replyTo(fields: readonly MovedField[], { replyTo: fixed }: MailFields): string | undefined {
  if (fixed !== undefined && isAddress(fixed)) return fixed;
  if (fixed !== undefined && fields.some(({ name }) => name === fixed)) return `{{ ${inBraces(fixed)} }}`;
  const mails = fields.filter(({ keys }) => keys.type === 'email');
  const [first] = mails;
  const meant = mails.find(({ name }) => /^(_?reply_?to|e-?mail)$/i.test(name)) ?? first;
  return meant && `{{ ${inBraces(meant.name)} }}`;
}

/** A field's value in a template; in parentheses if it is a function call. */
const reference = (name: string) => (isPath(name) ? `.fields.${name}` : `(${call(name)})`);
const inBraces = (name: string) => (isPath(name) ? `.fields.${name}` : call(name));
const call = (name: string) => `join "," (values ${JSON.stringify(name)})`;

function isPath(name: string): boolean {
  const template = parseTemplate(`{{ .fields.${name} }}`);
  return template.ok && template.value.fieldNames.has(name);
}

/** Escapes text with the braces of a template. */
const literal = (text: string) => text.replaceAll('{{', '{{ "{{" }}').replaceAll(/[\r\n]+/g, ' ');
