/** `email` (a cloud mail-sending service) and `smtp`: plain-text mails with a line `key=value` for each value. */
import { domainToASCII } from 'node:url';
import type { Mailbox } from '@form-relay/base/address';
import { addressOf, checkedMailbox, domainOf } from '@form-relay/base/address';
import { failed } from '@form-relay/base/client_error';
import { type Diagnostics, shown } from '@form-relay/schema/diagnostics';
import { number, optional, required, template, textSchema, withDefault } from '@form-relay/schema/kinds';
import type { Template, TemplateContext } from '@form-relay/schema/template';
import type { Field } from '../fields/field.ts';
import type { Mail, MailAnswer } from '../services.ts';
import type { Payload } from '../submission.ts';
import { planPayload, probeWith } from './delivery.ts';
import type { Common, Delivery, OutputForm } from './output.ts';
import { outputType } from './output.ts';
import { fixedRecipients, recipientCheck, recipients, recipientsOf } from './recipients.ts';

const mailKeys = {
  to: required(
    'Recipients, separated by commas: `Office <office@example.com>`. A part with a submitted value must be one address; an unset environment variable fails the delivery.',
    recipients(true),
  ),
  subject: withDefault(
    'Form submission: {{ .form.id }}',
    'Subject. If it renders empty, the default applies.',
    template(),
  ),
};

interface MailKeys {
  readonly to: readonly Template[];
  readonly subject: Template;
}

const isIP = (host: string): number => process.getBuiltinModule('node:net').isIP(host);

/** Most lines match this: only the space around them would change. */
const plainLine = /^(?!.*=\?)[ -~]*$/;

/** A header on one line. `=?` is split, because it would start an encoded word (RFC 2047), which can hide any text. */
export const oneLine = (text: string): string =>
  plainLine.test(text)
    ? text.trim()
    : text
        .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
        .replaceAll('=?', '= ?')
        .trim();

/** Further lines of a value are indented by a tab, so that no visitor can imitate the line of another field. */
function keyValueLines(payload: Payload): string {
  let text = '';
  for (const [key, values] of payload)
    for (const value of values)
      text += `${key}=${lineBreak.test(value) ? value.replaceAll(lineBreaks, '\n\t') : value}\n`;
  return text;
}

const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Tested first, since most values have no line break, and `replaceAll` allocates even without a match. */
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;

interface Opened extends MailKeys {
  readonly form: OutputForm;
  /** `undefined` if the recipients depend on a template. */
  readonly fixed: Found | undefined;
  /** Fields that consist of parts, whose values are JSON, by payload key. */
  readonly structures: ReadonlyMap<string, Field>;
}

function opened(output: MailKeys & Common, form: OutputForm): Opened {
  const mailboxes = fixedRecipients(output.to);
  return {
    to: output.to,
    subject: output.subject,
    form,
    fixed: mailboxes && { mailboxes },
    structures: structuresIn(output, form),
  };
}

function structuresIn(output: Common, { fields }: OutputForm): ReadonlyMap<string, Field> {
  const plan = planPayload(
    output,
    fields.map(({ name }) => name),
  );
  const shaped = new Map(fields.filter(({ shape }) => shape).map((field) => [field.name, field]));
  return new Map(
    plan.flatMap(({ key, fieldName }) => {
      const field = shaped.get(fieldName ?? '');
      return field ? [[key, field] as const] : [];
    }),
  );
}

/** The recipients. Recipients from a feature or an extension replace the output's own. */
function recipientsFor({ to, form, fixed }: Opened, { mail, templateContext }: Delivery): Found {
  if (!mail?.to && fixed) return fixed;
  const found: Found = mail?.to
    ? { mailboxes: mail.to }
    : recipientsOf('to', to, templateContext, form.fields);
  if (found.mailboxes.length + (mail?.cc?.length ?? 0) + (mail?.bcc?.length ?? 0) === 0)
    throw failed('no_recipients');
  return found;
}

type Found = ReturnType<typeof recipientsOf>;

/** A note is placed where it cannot be mistaken for something that the visitor wrote. */
function textOf({ mail, payload }: Delivery, { structures, form }: Opened): string {
  const text =
    mail?.text ?? keyValueLines(structures.size > 0 ? inWords(payload, structures, form) : payload);
  return mail?.note && mail.html === undefined ? `${text}\n${mail.note}\n` : text;
}

const inWords = (payload: Payload, structures: ReadonlyMap<string, Field>, { locale }: OutputForm): Payload =>
  payload.map(([key, values]) => {
    const isStructure = /^[[{]/.test(values[0] ?? '');
    return [key, (isStructure && structures.get(key)?.words(values, locale)) || values] as const;
  });

function subjectOf({ subject }: MailKeys, { mail, formId, templateContext }: Delivery): string {
  const words =
    mail?.subject ?? (oneLine(subject.render(templateContext)) || oneLine(`Form submission: ${formId}`));
  return mail?.subjectPrefix ? oneLine(`${mail.subjectPrefix} ${words}`) : words;
}

function headersOf({ mail, remarks }: Delivery): Mail['headers'] {
  const own = mail?.headers;
  if (!remarks) return own;
  const names = new Set([...(own?.keys() ?? [])].map((name) => name.toLowerCase()));
  const added = remarks.flatMap(({ header, value }) =>
    header && !names.has(header.toLowerCase()) ? [[header, value] as const] : [],
  );
  return new Map([...(own ?? []), ...added]);
}

const warningIn = (answer: unknown): string | undefined =>
  answer instanceof Object && 'warning' in answer ? (answer as MailAnswer).warning : undefined;

const messageId = ({ id, mail }: Delivery, from: Mailbox) =>
  mail?.messageId ?? `${id}@${domainOf(addressOf(from))}`;

/** The envelope sender is `relay@<host>`; `host` is written as after the `@` of an address (RFC 5321, 4.1.3). */
export function defaultSender(host: string): string {
  const kind = isIP(host);
  if (kind !== 0) return `relay@[${kind === 6 ? 'IPv6:' : ''}${host}]`;
  // Mail is ASCII: `bücher.example` becomes `xn--bcher-kva.example`.
  return `relay@${/[^\0-\x7f]/.test(host) ? domainToASCII(host) : host}`;
}

function filled(key: string, template: Template, templateContext: TemplateContext): string {
  const rendered = template.render(templateContext);
  if (rendered.trim() === '') throw failed('rendered_empty', { key });
  return rendered;
}

/** Throws a `ClientError` if a configured key renders empty. Without the key `password`, the password is empty. */
const credentialsOf = ({ username, password }: Login, { templateContext }: Delivery) =>
  username && {
    username: filled('username', username, templateContext),
    password: password ? filled('password', password, templateContext) : '',
  };

interface Login {
  readonly username?: Template | undefined;
  readonly password?: Template | undefined;
}

function loginWarnings({ username, password }: Partial<Login>, at: Diagnostics): void {
  // A token replaces the password.
  const signsInOtherwise = at.in('auth').written === 'oauth2';
  if (password && !username) at.in('password').warning('this has no effect without a username');
  if (username && !password && !signsInOtherwise)
    at.in('username').warning('the relay signs in with an empty password; add password');
}

export const mailOutputs = [
  outputType({
    type: 'email',
    summary: 'Sends a mail through Amazon SES.',
    keys: mailKeys,
    problems: (_, at) => {
      // An output that sends through a server of its own (`through`) may already have a sender.
      const above = at.fromTop(...at.path.slice(0, -1));
      if ([at, above].every((place) => place.in('from').written === undefined))
        at.needsEnv('MAIL_FROM_ADDRESS');
    },
    open: (output, { services, mailFromAddress, form }) => {
      const shared = opened(output, form);
      const own = mailFromAddress === undefined ? undefined : checkedMailbox(mailFromAddress);
      return {
        protocol: 'ses',
        host: 'SES',
        target: 'Amazon SES',
        probe: probeWith('ses', { sender: own, ...output }, services),
        check: output.on_error === 'fail' ? recipientCheck(output.to, form, services, false) : undefined,
        send: async (delivery, { timeoutMs }) => {
          const from = delivery.mail?.from ?? own;
          if (from === undefined) throw failed('mail_from_unset');
          const { mailboxes: to, warning } = recipientsFor(shared, delivery);
          if (warning) delivery.warn?.(warning);
          const answer = await services.ses({
            ...delivery.mail,
            from,
            to,
            subject: subjectOf(shared, delivery),
            text: textOf(delivery, shared),
            headers: headersOf(delivery),
            messageId: messageId(delivery, from),
            date: delivery.mail?.date ?? delivery.receivedAt,
            timeoutMs,
          });
          return warningIn(answer) ?? warning;
        },
      };
    },
  }),
  outputType({
    type: 'smtp',
    aliases: ['mail', 'sendmail'],
    summary: 'Sends a mail directly to an SMTP server.',
    keys: {
      host: required(
        'Name of the mail server (`smtp.example.com`). The envelope sender is `relay@<host>`.',
        textSchema((host, at) =>
          /^[^\s\p{C}/@:]+$/u.test(host) || isIP(host) > 0
            ? host
            : at.error(`found ${shown(host, at)}; expected a host name without port or scheme`),
        ),
      ),
      port: withDefault(
        '587',
        'Port 465 uses TLS from the start; others use STARTTLS when the server offers it, unless `tls` is `implicit`.',
        number({ least: 1, most: 65_535, whole: true }),
      ),
      username: optional(
        'Account at the mail server. The relay signs in with SMTP PLAIN, over TLS or to a loopback address.',
        template(),
      ),
      password: optional('Password of the account, usually `{{ env "SMTP_PASSWORD" }}`.', template()),
      ...mailKeys,
    },
    problems: loginWarnings,
    open: (output, { services, form }) => {
      const shared = opened(output, form);
      const { host, port } = output;
      const own = defaultSender(host);
      return {
        protocol: 'smtp',
        host: `${host}:${port}`,
        target: `${host}:${port}`,
        probe: probeWith('smtp', output, services),
        check: output.on_error === 'fail' ? recipientCheck(output.to, form, services, true) : undefined,
        send: async (delivery, { timeoutMs }) => {
          const { mail: given } = delivery;
          const from = given?.from ?? own;
          const { mailboxes: to, warning } = recipientsFor(shared, delivery);
          if (warning) delivery.warn?.(warning);
          const credentials =
            given && 'credentials' in given ? given.credentials : credentialsOf(output, delivery);
          const answer = await services.smtp({
            // The spread comes later, because it would give each mail its own hidden class on Node 20.
            credentials,
            ...given,
            host,
            port,
            from,
            to,
            subject: subjectOf(shared, delivery),
            text: textOf(delivery, shared),
            headers: headersOf(delivery),
            messageId: messageId(delivery, from),
            date: given?.date ?? delivery.receivedAt,
            timeoutMs,
          });
          return warningIn(answer) ?? warning;
        },
      };
    },
  }),
] as const;
