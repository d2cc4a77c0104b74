import * as v from 'valibot';
import { late } from '../base/late.ts';
import { bouncesSchema } from '../features/bounces/bounces.ts';
import { keysIn } from '../features/index.ts';
import { keepSchema } from '../features/keep/keep.ts';
import { countPlace } from '../features/places/places.ts';
import { classKeys } from '../fields/classes.ts';
import { type Field, commonKeys as fieldKeys } from '../fields/field.ts';
import { defaultFieldType, fieldTypeNames, fieldTypeOf, fieldTypes } from '../fields/index.ts';
import { timeZone } from '../fields/times/late.ts';
import { canonicalTag } from '../messages/languages.ts';
import { say } from '../messages/message.ts';
import { outputTypeNames, outputTypeOf, outputTypes } from '../outputs/index.ts';
import { type Output, commonKeys as outputKeys, unregisteredOutput } from '../outputs/output.ts';
import type { Schema } from '../schema/any_schema.ts';
import { finding } from '../schema/finding.ts';
import {
  lateSchema,
  optional,
  optionalBlock,
  perLanguage,
  required,
  section,
  withDefault,
  withWords,
} from '../schema/keys.ts';
import {
  type AbsentCode,
  choice,
  duration,
  httpUrl,
  isMap,
  label,
  list,
  mapOf,
  name,
  text,
  variableName,
} from '../schema/kinds.ts';
import { noKind, oneOfKinds } from '../schema/one_of_kinds.ts';
import { size } from '../schema/size.ts';
import type { InboxSettings } from './inbox_keys.ts';
import { languageKeys, meantLanguage } from './language_keys.ts';

export const journalParts = late(() => import('./journal_key.ts'), 'journal');
const journalSchema = lateSchema(journalParts, (loaded) => loaded.journalSchema);

/** The keys of a team's inbox. Most relays have none. */
export const inboxParts = late(() => import('./inbox_keys.ts'), 'inbox');
const inboxSchema: Schema<InboxSettings> = lateSchema(inboxParts, (loaded) => loaded.inboxSchema);

const each = (words: string, code: AbsentCode) => words.split(' ').map((word) => [word, code] as const);

const fieldKinds = { get: (name: string) => fieldTypeOf(name)?.schema };
const outputKinds = { get: (name: string) => outputTypeOf(name)?.schema };

/** Field types of other form builders. */
const absentFieldTypes: ReadonlyMap<string, AbsentCode> = new Map([
  ...each('files upload file_upload attachment attachments image photo', 'no_field_of_files'),
  ...each('captcha recaptcha hcaptcha turnstile', 'no_field_of_captcha'),
  ...each('honeypot', 'no_field_of_honeypot'),
  ...each('submit button reset', 'no_field_of_button'),
  ...each('note html heading header divider', 'no_field_of_note'),
]);

export const field = oneOfKinds<Field>('type', fieldKinds, {
  whenAbsent: defaultFieldType.schema,
  whenUnknown: v.lazy(() => {
    const kinds = new Map(fieldTypes().map(({ type, schema }) => [type, schema]));
    return noKind('type', kinds, fieldKeys, fieldTypeNames, absentFieldTypes);
  }),
  example: '{name: email, type: email}',
});

const linksAndBrackets =
  '`[words](https://…)` becomes a link. To show the brackets themselves, write `\\[words](https://…)`, or `\\\\[words](https://…)` in double quotes.';

export const noteKeys = {
  note: required(
    'Text between two fields, or after the last. It may hold links: `[words](https://…)`.',
    perLanguage(label()),
  ),
};

const note = section(noteKeys);
type Note = v.InferOutput<typeof note>;

/** An entry in the list of fields: a field, or a note between fields. */
export const entry: Schema<Field | Note> = v.lazy(
  (input): Schema<Field | Note> =>
    isMap(input) && 'note' in input && !('name' in input) && !('type' in input) ? note : field,
);

export const isNote = (entry: Field | Note): entry is Note => !('name' in entry);

export const groupKeys = {
  legend: required('What the visitor reads above the fields.', perLanguage(label())),
  fields: required('The names of fields that follow each other.', list(name(), { least: 1 })),
};

export const stepKeys = {
  title: required('The heading of the step.', perLanguage(label())),
  fields: required('The names of its fields, in the order of `fields`.', list(name(), { least: 1 })),
};

export const output = oneOfKinds<Output>('type', outputKinds, {
  whenAbsent: v.lazy(() => {
    const kinds = new Map(outputTypes().map(({ type, schema }) => [type, schema]));
    return noKind('type', kinds, outputKeys, outputTypeNames);
  }),
  whenUnknown: unregisteredOutput,
  example: '{type: email, to: office@example.com, mapping: "*"}',
});

const guardKeys = keysIn('spamAndTop');
const gateKeys = keysIn('formAndTop');
export const spamKeys = { ...keysIn('spam'), ...guardKeys };

const zoneKeys = {
  time_zone: optional(
    'Where the times of `opens`, `closes` and fields of type `datetime` are, such as `Europe/Berlin`: an IANA time zone. Default: UTC for fields, none for the others.',
    timeZone,
  ),
};

/** The order is that of the manual: `others` have no place of their own in it. */
const { captcha, confirmation_mail, double_opt_in, scan, receipt, keep, kept_message, ...others } =
  keysIn('form');

export const formKeys = {
  fields: required('The fields that visitors fill in, with notes between them.', list(entry)),
  outputs: required(
    'Where submissions go. All are attempted on every submission.',
    list(output, { least: 1 }),
  ),
  ...gateKeys,
  spam: optionalBlock(
    'What keeps bots and advertisements out (docs/spam.md).',
    section(spamKeys, '{honeypot: website}'),
  ),
  captcha,
  ...others,
  confirmation: withWords(
    say({ code: 'confirmation' }),
    `What the visitor reads after a successful submission. ${linksAndBrackets}`,
    perLanguage(text()),
  ),
  confirmation_mail,
  double_opt_in,
  failure_message: optional(
    `What the visitor reads beside the relay’s own words where sending failed, such as whom to call. ${linksAndBrackets} Links may also lead to mail addresses (\`mailto:\`) and telephones (\`tel:\`).`,
    perLanguage(label()),
  ),
  title: optional('A heading above the rendered form.', perLanguage(text())),
  redirect: optional(
    'Where visitors go after a successful submission: browsers that send the form by themselves (303), and pages with the relay’s script; not with htmx. Without it, a form of the relay’s own ends on a page with the `confirmation`, and a form of yours on JSON, unless its address ends with `?as=page`.',
    perLanguage(httpUrl()),
  ),
  submit_label: withWords(
    say({ code: 'submit' }),
    'The words on the button of the rendered form.',
    perLanguage(text()),
  ),
  groups: optional(
    'Fields with a legend around them.',
    list(section(groupKeys, '{legend: Address, fields: [street, city]}')),
  ),
  steps: optional(
    'Shows the form one step at a time, where its script runs. The steps name every field that visitors see, once and in the order of `fields`.',
    list(section(stepKeys, '{title: About you, fields: [name, email]}')),
  ),
  classes: optionalBlock(
    'The class names of your site on the parts of this form. Each key wins over the same key at the top.',
    section(classKeys),
  ),
  bodies: optional(
    'What the form takes beside `application/x-www-form-urlencoded`: `json` (an `application/json` object) and `multipart` (`FormData` as scripts send it). A form with a field of type `file` takes `multipart` anyway.',
    list(choice(['json', 'multipart'])),
  ),
  max_body: optional(
    'How large a submission with files may be, all together. Everything but the files has 64 KB. Default: 10 MB.',
    size({ leastBytes: 65_536 }),
  ),
  scan,
  receipt,
  keep,
  kept_message,
  ...zoneKeys,
  ...languageKeys,
};

export const formSchema = section(formKeys, '{fields: […], outputs: […]}');
export type ParsedForm = v.InferOutput<typeof formSchema>;

const formNameProblem = (id: string) => {
  if (id === '' || /[\0-\x1f\x7f-\x9f]/.test(id)) return finding('form_name_malformed', []);
  return /^\.{1,2}$/.test(id) ? finding('form_name_of_dots', []) : undefined;
};

export const alertsKeys = {
  outputs: required('Who is told: outputs of any type, as in a form.', list(output, { least: 1 })),
  oldest: withDefault(
    '6h',
    'Tells once more when something has waited for so long.',
    duration({ hasDays: true }),
  ),
};

export const heartbeatKeys = {
  url_env: required(
    'The environment variable with the address that is asked (`GET`) while all is well.',
    variableName(),
  ),
  every: withDefault('5m', 'How often.', duration({ leastMs: 10_000 })),
};

export const pdfKeys = {
  fonts: required(
    'The paths of TTF, OTF, TTC or OTC files, absolute or from the folder in which the relay is started. Each character is set in the first font that has it. One of several fonts in a file is named behind `#` with its PostScript name: `NotoSansCJK-Regular.ttc#NotoSansCJKjp-Regular`.',
    list(text(), { least: 1 }),
  ),
};

/** All keys of a config but its forms. */
const topKeys = {
  cache_ttl: withDefault('30s', 'How long the parsed config is used before it is fetched again.', duration()),
  classes: optionalBlock(
    'The class names of your site on the parts of all forms, beside the ones that each part has anyway.',
    section(classKeys),
  ),
  ...zoneKeys,
  ...languageKeys,
  ...gateKeys,
  spam: optionalBlock(
    'For all forms, where they do not say it themselves.',
    section(guardKeys, '{doubt: tag}'),
  ),
  keep: optional('Where deliveries wait that outputs owe, for forms with `keep` (docs/keep.md).', keepSchema),
  counted_in: optional(
    'Where places and registrations are counted, and what servers sent is remembered (docs/keys.md): `dynamodb://table`, a folder of this machine, `nats://…`, or `durable-object://…` on Cloudflare Workers. Default: where `keep` keeps, which must be a folder or `nats://…` (docs/places.md). Never templated.',
    countPlace,
  ),
  bounces: optional(
    'Takes in mails that came back, from each provider that sends for you: an address that takes none gets no more mails from forms for a year, and `alerts` tell of one of yours (docs/mail/bounces.md). Needs FORM_TOKEN_SECRET in the environment, and `counted_in` or `keep`, where the list of addresses is, as keyed hashes.',
    bouncesSchema,
  ),
  alerts: optionalBlock(
    'Tells the owner when deliveries are kept, and when all are delivered again (docs/keep.md). Nothing in it was written by a visitor.',
    section(alertsKeys, '{outputs: [{type: slack, url_env: SLACK_URL}]}'),
  ),
  heartbeat: optionalBlock(
    'Asks an address while all is well, so that a service outside notices when the relay is gone.',
    section(heartbeatKeys, '{url_env: HEARTBEAT_URL}'),
  ),
  pdf: optionalBlock(
    'How submissions look as PDFs, for outputs with `pdf: true` (docs/pdf.md).',
    section(pdfKeys, '{fonts: [/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf]}'),
  ),
  inbox: optional('Serves what came in to a team that signs in (docs/inbox-team.md).', inboxSchema),
  journal: optional(
    'Writes down what became of each submission, without its values, for the inbox and for you (docs/journal.md).',
    journalSchema,
  ),
  language_files: optionalBlock(
    'Languages of your own: for each its tag, and the path of a YAML file from where the config is, as `relay form messages` prints one: `{eo: esperanto.yaml}`.',
    mapOf(text(), (tag) =>
      canonicalTag(tag) === undefined
        ? finding('not_a_language', [], { found: tag, near: meantLanguage(tag) })
        : undefined,
    ),
  ),
};

export const topSchema = section(topKeys);
export type ParsedTop = v.InferOutput<typeof topSchema>;

export const configKeys = {
  ...topKeys,
  forms: required(
    'The forms, by name.',
    mapOf(formSchema, formNameProblem, '{contact: {fields: […], outputs: […]}}'),
  ),
};

export const configSchema = section(configKeys);
export type ParsedConfig = v.InferOutput<typeof configSchema>;
