import * as v from 'valibot';
import type { Schema } from '../schema/any_schema.ts';
import { finding } from '../schema/finding.ts';
import { report, wrong } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { mapOf, text } from '../schema/kinds.ts';
import { type SesTarget, sesTarget } from '../transports/ses/ses_transport.ts';
import {
  fileFieldsIn,
  fixedRecipients,
  fromKey,
  mailKeys,
  mailOf,
  mailProblems,
  mailWarnings,
  takesFile,
} from './mail_outputs.ts';
import { outputType } from './output.ts';

/** Names and values of tags, and names of configuration sets, are made of these (SES v2, MessageTag). */
const inSesLetters = (most: number) => new RegExp(`^[A-Za-z0-9_-]{1,${most}}$`);
const [setName, tagText] = [inSesLetters(64), inSesLetters(256)];

/** More than any mail needs, and as many as SES takes. */
const mostTags = 50;

const tags: Schema<ReadonlyMap<string, string>> = v.pipe(
  mapOf(v.pipe(text(), v.regex(tagText, wrong('ses_tag_malformed'))), (name) =>
    tagText.test(name) ? undefined : finding('ses_tag_name_malformed', []),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.value.size <= mostTags) return;
    addIssue(report(finding('ses_too_many_tags', [], { most: mostTags })));
  }),
);

export const email = outputType({
  type: 'email',
  summary: 'Sends a mail through Amazon SES.',
  keys: {
    ...mailKeys,
    from: fromKey('The sender, which SES must have verified. Default: MAIL_FROM_ADDRESS.'),
    configuration_set: optional(
      'The configuration set of SES that the mail goes by, so that bounces and complaints are told to whom it names. Default: that of the sender in SES, if it has one.',
      v.pipe(text(), v.regex(setName, wrong('ses_configuration_set_malformed'))),
    ),
    tags: optional(
      'Names and values that come with what SES tells of this mail, such as `{form: contact}`. Letters of ASCII, digits, `_` and `-`. Never templated.',
      tags,
    ),
  },
  problems: mailProblems,
  warnings: mailWarnings,
  prepare: fixedRecipients,
  target: ({ to, cc, bcc, from, configuration_set }) =>
    sesTarget({ to, cc, bcc, from, configurationSet: configuration_set }),
  message: (output, job, scope) =>
    Object.assign(mailOf(output, job, scope), {
      via: 'ses',
      from: output.from,
      ...followed(output),
    } as const),
  carry: (output, mail) => ({ ...mail, via: 'ses', from: mail.from ?? output.from, ...followed(output) }),
  sendsOfItself: ({ html, text, pdf }) => html || pdf || text !== undefined,
  readsFields: fileFieldsIn,
  takesFile,
});

interface Followed {
  readonly configuration_set?: SesTarget['configurationSet'];
  readonly tags?: ReadonlyMap<string, string> | undefined;
}

/** SES's options for the mail, from the config. */
const followed = ({ configuration_set: configurationSet, tags }: Followed) =>
  configurationSet === undefined && !tags ? {} : { followed: { configurationSet, tags } };
