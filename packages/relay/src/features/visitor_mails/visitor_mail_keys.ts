/** The keys of mails to visitors, and what must hold between them and a form's other keys. */
import * as v from 'valibot';
import { parseMailbox } from '../../base/address.ts';
import { linkedTemplate } from '../../outputs/linked_template.ts';
import { fromKey } from '../../outputs/mail_outputs.ts';
import { wordsProblems } from '../../outputs/mail_text.ts';
import type { Schema } from '../../schema/any_schema.ts';
import type { Finding } from '../../schema/finding.ts';
import { report, wrong } from '../../schema/issue.ts';
import { optional, perLanguage, required, section, withDefault } from '../../schema/keys.ts';
import {
  choice,
  duration,
  flag,
  httpUrl,
  isMap,
  name,
  number,
  ownTemplate,
  template,
} from '../../schema/kinds.ts';
import type { Template } from '../../schema/template/render.ts';
import { throughSchema } from './carrier.ts';
import type { DoubleOptIn, ResumeKeys, VisitorMail } from './visitor_mail.ts';

export { problemsOf } from './problems.ts';

const ownReplyTo = (): Schema<Template> =>
  v.pipe(
    ownTemplate('visitor_mail_reply_submitted'),
    v.check(
      ({ content }) => typeof content !== 'string' || parseMailbox(content) !== undefined,
      wrong('not_a_mailbox_or_template'),
    ),
  );

const commonKeys = {
  to: required('The name of the `email` field that holds the visitor’s address.', name()),
  subject: required(
    'The subject. Of the fields, it may hold those whose values the config lists, and `computed` ones.',
    perLanguage(template()),
  ),
  text: required(
    'What the mail says, as a template of one or several lines. Fields as in `subject`. It may hold links: `[words](https://…)`.',
    perLanguage(linkedTemplate()),
  ),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with the same as text beside it: the form’s title, and `text`.',
    flag(),
  ),
  footer: optional('What stands below all else of an HTML mail. As `text`.', perLanguage(linkedTemplate())),
  from: fromKey('Who it is from. Default: whoever the output sends for that carries it.'),
  reply_to: optional('The `Reply-To` address, with nothing in it that a visitor wrote.', ownReplyTo()),
  through: optional(
    'Whose server carries it: the place of one of the `outputs`, from 0. Default: the first that sends mails. Or a server of its own: `{type: smtp, host: …}` or `{type: email}`, with the keys by which such an output reaches it.',
    throughSchema,
  ),
  per_hour: withDefault(
    '100',
    'How many of these mails the form sends in an hour, of each relay that runs. An address gets one in an hour at most.',
    number({ least: 1, most: 10_000, whole: true }),
  ),
};

/** A block with these keys. `footer` has no place in plain text. */
const visitorMailSection = <K extends v.ObjectEntries>(keys: K): Schema<VisitorMail> =>
  v.pipe(
    section(keys, '{to: email, subject: …, text: …}'),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!isMap(dataset.value)) return;
      const { html, footer } = dataset.value as Partial<VisitorMail>;
      const problems: readonly Finding[] = wordsProblems({ html, footer });
      for (const problem of problems) addIssue(report(problem));
    }),
    v.transform((parsed) => withSender(parsed as unknown as VisitorMail)),
  ) as never;

/** A server that does nothing else sends from there, for those who look at what servers send from. */
function withSender(mail: VisitorMail): VisitorMail {
  const { through, from } = mail;
  if (typeof through !== 'object' || from === undefined) return mail;
  const { target } = through;
  if (target?.via === 'smtp')
    return { ...mail, through: { ...through, target: { ...target, from, isDefaultSender: false } } };
  return target?.via === 'ses' ? { ...mail, through: { ...through, target: { ...target, from } } } : mail;
}

export const confirmationMailKeys = {
  ...commonKeys,
  copy: optional(
    'Shows below `text` what was sent, with its labels: `choices` shows what was chosen among what the config lists, also in entries, and what the relay worked out, and nothing typed; `all` shows everything, and needs a `double_opt_in` for the same `to`, so that nobody is mailed the words of a stranger.',
    choice(['choices', 'all']),
  ),
};

export const confirmationMailSchema = visitorMailSection(confirmationMailKeys);

export const doubleOptInKeys = {
  ...commonKeys,
  to: required(
    'The name of the `email` field that holds the address to be confirmed. It is `required`.',
    name(),
  ),
  per_hour: withDefault(
    '100',
    'How many of these mails the form sends in an hour, of each relay that runs. An address gets three in an hour at most.',
    number({ least: 1, most: 10_000, whole: true }),
  ),
  expires: withDefault(
    '48h',
    'How long the link can be used, from a minute to 90 days.',
    duration({ leastMs: 60_000, mostMs: 90 * 86_400_000 }),
  ),
  confirm: withDefault(
    'open',
    'What confirms the address: the page behind the link once a browser opens it and runs its script (`open`), or a press of its button (`click`), which programs that check mails don’t do.',
    choice(['open', 'click']),
  ),
};

export const resumeKeys = {
  ...commonKeys,
  to: optional(
    'The name of the `email` field that holds the visitor’s address. Default: the only one that the form has.',
    name(),
  ),
  subject: optional(
    'The subject. As in `double_opt_in`. Default: words of the relay’s.',
    perLanguage(template()),
  ),
  text: optional(
    'What the mail says above the link. As in `double_opt_in`. Default: words of the relay’s.',
    perLanguage(linkedTemplate()),
  ),
  per_hour: doubleOptInKeys.per_hour,
  expires: withDefault(
    '7d',
    'How long the link can be used, from a minute to 90 days.',
    duration({ hasDays: true, leastMs: 60_000, mostMs: 90 * 86_400_000 }),
  ),
  page: optional(
    'The page of yours that shows the form with the relay’s script, for the link to lead there. Default: the relay’s own page.',
    httpUrl(),
  ),
};

const resumeMap = visitorMailSection(resumeKeys) as unknown as Schema<ResumeKeys>;
const switched = flag();

/** `true`, `false` or a map. */
export const resumeSchema: Schema<boolean | ResumeKeys> = v.pipe(
  v.lazy((input): Schema<boolean | ResumeKeys> => (isMap(input) ? resumeMap : switched)),
  v.metadata({ jsonSchema: { title: 'true or false, or map' }, either: [switched, resumeMap] }),
);

export const doubleOptInSchema = visitorMailSection(doubleOptInKeys) as Schema<DoubleOptIn>;
