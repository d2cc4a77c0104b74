/** Shared by outputs that archive submissions: the contents, and the recipients of sealed ones. */
import * as v from 'valibot';
import { doubtNames, waitingName } from '../base/doubt.ts';
import { type Job, pdfName } from '../base/job.ts';
import { err, ok } from '../base/result.ts';
import { withoutEmpty } from '../base/values.ts';
import { labelOf } from '../fields/field.ts';
import { asWords } from '../fields/stored_value.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { read, report, wrong } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { text, texts } from '../schema/kinds.ts';
import type { Scope } from '../schema/template/render.ts';
import type { Archived, ArchivedField, Entry, SealFor } from '../transports/archive/archive_entry.ts';
import { readRecipient } from '../transports/archive/recipient.ts';
import { whyUnused } from '../transports/aws/s3_request.ts';
import type { CommonOutput, FormAbout } from './output.ts';
import type { PayloadPlan } from './payload.ts';

/** Several are told of each, and none is shown: it may be the private one. */
export const recipients: Schema<readonly string[]> = v.pipe(
  texts(),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [index, one] of dataset.value.entries()) {
      const recipient = readRecipient(one);
      const path = dataset.value.length > 1 ? [index] : [];
      if (!recipient.ok) {
        addIssue(report(finding('seal_key_malformed', path, { problem: recipient.error })));
      }
    }
  }),
);

/** Nothing that visitors write decides where something is written. */
export const untemplated = (kind: Schema<string>): Schema<string> =>
  v.pipe(
    kind,
    v.check((written) => !written.includes('{{'), wrong('place_templated')),
  );

/** A name, of which S3 takes less and others take what stood in it before 2018. */
export const bucketName: Schema<string> = v.pipe(
  untemplated(text()),
  read((found) => {
    if (found.startsWith('arn:')) return err(finding('bucket_unused', [], { bucket: found, why: 'arn' }));
    if (/^[a-z\d][\w.-]{1,253}[a-z\d]$/i.test(found)) return ok(found);
    const [, bucket = '', prefix = ''] = /^s3:\/\/([\w.-]+)\/?(.*?)\/?$/.exec(found) ?? [];
    return err(finding('bucket_malformed', [], { found, bucket, prefix }));
  }),
);

/** S3 gives some names to other things than buckets, so nothing can be written there. */
export function unusedBucket(bucket: string): readonly Finding[] {
  const why = whyUnused(bucket);
  return why === undefined ? [] : [finding('bucket_unused', ['bucket'], { bucket, why })];
}

/** A folder of the bucket: empty, or with a slash at its end. */
export const prefix: Schema<string> = v.pipe(
  untemplated(text()),
  v.transform((written) => written.replaceAll(/^\/|\/$/g, '')),
  v.check(
    (written) => written === '' || (!/[\0-\x1f\x7f]/.test(written) && !/(^|\/)(\.{0,2})(\/|$)/.test(written)),
    wrong('prefix_malformed'),
  ),
  v.transform((written) => (written === '' ? '' : `${written}/`)),
);

export const sealKeys = {
  seal_to: optional(
    'Encrypts all that is kept in the age format, for one public key or several (`age1…`): only who has a private key can read it. `relay key new` makes such a pair.',
    recipients,
  ),
  seal_to_file: optional(
    'The path of a file with such keys, one on a line, which is read at each delivery.',
    untemplated(text()),
  ),
};

interface Sealing {
  readonly seal_to?: readonly string[] | undefined;
  readonly seal_to_file?: string | undefined;
}

export const sealProblems = ({ seal_to, seal_to_file }: Sealing): readonly Finding[] =>
  seal_to && seal_to_file !== undefined
    ? [{ ...finding('seal_twice', ['seal_to_file']), aboutKey: true }]
    : [];

export const sealForOf = ({ seal_to, seal_to_file }: Sealing): SealFor | undefined => {
  if (seal_to) return { recipients: seal_to };
  return seal_to_file === undefined ? undefined : { file: seal_to_file };
};

/** Without `mapping`, all of it. */
export const keepsFile = ({ mapping }: Pick<CommonOutput, 'mapping'>, field: string): boolean =>
  mapping === undefined || mapping === '*' || [...mapping.values()].includes(field);

interface Configured extends CommonOutput, Sealing {
  readonly form: FormAbout;
  readonly plan: readonly PayloadPlan[];
}

export const archived = (output: Configured, job: Job, scope: Scope): Archived => ({
  entry: entryOf(output, job, scope),
  sealFor: sealForOf(output),
});

function entryOf({ mapping, plan, form }: Configured, job: Job, scope: Scope): Entry {
  const { id: jobId, requestId: id, formId, receivedAt, page, values, files, doubt, isWaiting } = job;
  const declared = new Map(form.fields.map((field) => [field.name, field]));
  const isChosen = mapping !== undefined && mapping !== '*';
  const kept = isChosen ? plan : inFormsOrder(plan, form);
  const fields: ArchivedField[] = [];
  const keptFiles: Entry['files'][number][] = [];
  for (const { key, fieldName, fixed } of kept) {
    const field = fieldName === undefined ? undefined : declared.get(fieldName);
    const text = fixed?.render(scope) ?? '';
    if (text !== '') {
      fields.push({ name: key, label: key, values: [text] });
    } else if (field?.takeFiles) {
      for (const file of files.get(field.name) ?? []) keptFiles.push({ field: key, file });
    } else if (fieldName !== undefined) {
      const label = field ? labelOf(field) : key;
      const stored = withoutEmpty(values.get(fieldName) ?? []);
      fields.push({
        name: key,
        label,
        values: stored,
        ...(field?.parts && { in_words: asWords(field, stored) }),
      });
    }
  }
  if (doubt !== undefined && !fields.some(({ name }) => name === doubtNames.tag)) {
    fields.push({ name: doubtNames.tag, label: form.doubtLabel, values: [doubt] });
  }
  if (isWaiting && !fields.some(({ name }) => name === waitingName)) {
    fields.push({ name: waitingName, label: form.waitingLabel, values: ['1'] });
  }
  if (job.pdf && job.pdf !== 'failed') keptFiles.push({ field: pdfName, file: job.pdf });
  return {
    id,
    jobId,
    form: formId,
    receivedAt,
    page: page && { url: page.url, title: page.title },
    fields,
    files: keptFiles,
  };
}

/** Every field under its own name, as visitors see them; what is static stands in its place, or after them. */
function inFormsOrder(plan: readonly PayloadPlan[], { fields }: FormAbout): readonly PayloadPlan[] {
  const fixed = new Map(plan.map((one) => [one.key, one.fixed]));
  const names = new Set(fields.map(({ name }) => name));
  return [
    ...fields.map(({ name }) => ({ key: name, fieldName: name, fixed: fixed.get(name) })),
    ...plan.filter(({ key }) => !names.has(key)),
  ];
}
