/** Files and other bodies: `type: file`, `multipart/form-data`, JSON, and attachments of mails. */

import { sizeInWords } from '@form-relay/base/values';
import { check } from '@form-relay/core/command';
import { outputExtension } from '@form-relay/core/extensions';
import { maxBodyBytes } from '@form-relay/core/http/request';
import type {
  BodyParser,
  Diagnostics,
  Field,
  FormConfig,
  FormMarkup,
  FormView,
  Message,
  Outcome,
  ParsedBody,
  Plugin,
  Result,
  Schema,
  Submission,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard, refused } from '@form-relay/core/submission';
import { array } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { name, oneOf, size } from '@form-relay/schema/scalars';
import { jsonSchemaOf, optional, schema, withDefault } from '@form-relay/schema/schema';
import { file, type Together } from './file.ts';
import type { ReadJson } from './json.ts';
import messages from './messages.json' with { type: 'json' };

const defaultUploadBytes = 10 * 1_048_576;

/** The default `max_size` of a field. */
const defaultSizeBytes = 5 * 1_048_576;

const bodies = feature({
  name: 'bodies',
  keys: {
    form: {
      bodies: optional(
        'More formats to accept (`[json]`): `json` (an `application/json` object) and `multipart` (`FormData`), which forms with a `file` field accept anyway.',
        array(oneOf(['json', 'multipart'])),
      ),
      max_body: optional(
        'Maximum size of a submission with its files. Everything but the files is limited to 64 KB. Default: 10 MB.',
        size({ leastBytes: maxBodyBytes }),
      ),
    },
  },
  after: ['keys'],
  // Scripts that hold a submission back wrap the script that sends files.
  before: ['captcha', 'proof', 'verify'],
  configure: ({ form: { bodies: listed = [], max_body }, fields, pathOf, provided }, at) => {
    const taking = fields.filter(({ takeFiles }) => takeFiles);
    // A script sends the files of a hidden input as text.
    const hasFiles = taking.some(({ layout }) => layout !== 'bare');
    const maxBytes = taking.length > 0 ? (max_body ?? defaultUploadBytes) : maxBodyBytes;
    checkSizes(fields, pathOf, maxBytes, at);
    for (const field of taking) Object.assign(field, field.withKeys({ together: maxBytes }));
    let readJson: ReadJson | undefined;
    const parsers: BodyParser[] = [];
    if (taking.length > 0 || listed.includes('multipart'))
      parsers.push({
        mediaType: 'multipart/form-data',
        maxBytes,
        parse: async (body, contentType) =>
          toBody((await import('./multipart.ts')).parseMultipart(body, contentType)),
      });
    const isForServers = !listed.includes('json') && provided.get('keys') !== undefined;
    if (listed.includes('json') || isForServers)
      parsers.push({
        ...(isForServers && { isForServers }),
        mediaType: 'application/json',
        maxBytes: maxBodyBytes,
        parse: async (body) => {
          readJson ??= (await import('./json.ts')).jsonReader(fields);
          return toBody(readJson(body));
        },
      });
    if (parsers.length === 0) return undefined;
    return {
      bodies: parsers,
      beforeValidation: guard(logUnknownFiles),
      ...(hasFiles && {
        markup: (view: FormView) => fileMarkup(view, maxBytes),
        view: withinBudget,
      }),
    };
  },
});

const toBody = (parsed: Result<ParsedBody, Message>): ParsedBody | Outcome =>
  parsed.ok ? parsed.value : refused(400, parsed.error.code, parsed.error.params);

/** The keys of a `file` field that its form uses. */
interface Limited extends Together {
  readonly max_size?: number;
}

function checkSizes(
  fields: readonly Field[],
  pathOf: FormConfig['pathOf'],
  maxBytes: number,
  at: Diagnostics,
): void {
  for (const field of fields) {
    const { max_size: each = 0 }: Field & Limited = field;
    if (field.type !== 'file' || each <= maxBytes) continue;
    const place = each === defaultSizeBytes ? at.in('max_body') : at.in(...pathOf(field), 'max_size');
    place.error(
      `each file may be up to ${sizeInWords(each)}, but the whole form only ${sizeInWords(maxBytes)} (\`max_body\`)`,
    );
  }
}

/** The limits for logged names. More or longer ones are hardly typos. */
const mostNames = 10;
const longestName = 100;

/** Some frameworks rename a field to `cv[]`, for example. The log tells the owner why the file never arrived. */
function logUnknownFiles(submission: Submission): undefined {
  const { sentFiles, form } = submission;
  if (sentFiles.size === 0) return;
  const unknown = [...sentFiles].filter(([name]) => form.inputs.every((input) => input.name !== name));
  if (unknown.length === 0) return;
  submission.log('warn', 'files_unknown', {
    files: unknown.slice(0, mostNames).map(([name, files]) => ({
      name: name.length > longestName ? `${name.slice(0, longestName)}…` : name,
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    })),
    ...(unknown.length > mostNames && { more: unknown.length - mostNames }),
  });
}

/** The texts for the script that chooses and sends files (packages/element/src/files). */
const scriptWords = {
  'file-remove': 'file_remove',
  'file-drop': 'file_drop',
  'file-sending': 'file_sending',
  'files-too-large': 'files_too_large',
};

/** Problems with files that have another text if the form stays on the page. */
const problemWords = { uploads_busy: 'slow_down_page', body_over_limit: 'files_too_large' };

/** The markup of a form with files for scripts. */
function fileMarkup({ medium, locale, settings }: FormView, maxBytes: number): FormMarkup {
  const bodyBytes = Math.min(maxBytes, settings?.uploadBudget ?? maxBytes);
  // Leaves some space for everything else.
  const bytes = bodyBytes - Math.min(maxBodyBytes, Math.ceil(bodyBytes / 10));
  // The script fills in the values in braces.
  const params = { name: '{name}', percent: '{percent}', size: { bytes } };
  const codes = { ...scriptWords, ...(medium && problemWords) };
  const words = Object.entries(codes).map(([name, code]) => [
    `data-${name}`,
    locale.translate({ code, params }),
  ]);
  return {
    isMultipart: true,
    part: 'files',
    attributes: { 'data-files-limit': String(bytes), ...Object.fromEntries(words) },
  };
}

/** Limits the form's files to what the relay accepts, which on AWS Lambda is less than `max_size` by default (UPLOAD_BUDGET). */
function withinBudget(view: FormView): FormView {
  const { settings, fields } = view;
  const budget = settings?.uploadBudget ?? Infinity;
  const isOver = ({ together = 0 }: Field & Limited) => together > budget;
  const limited = (field: Field & Limited) =>
    isOver(field)
      ? field.withKeys({ max_size: Math.min(field.max_size ?? 0, budget), together: budget })
      : field;
  return fields.some(isOver) ? { ...view, fields: fields.map(limited) } : view;
}

const chosen = array(name());

const fileFields: Schema<'*' | readonly string[]> = schema(
  () => ({ title: 'list of fields, or `"*"`', anyOf: [{ const: '*' }, jsonSchemaOf(chosen)] }),
  (value, at) => {
    if (value === '*') return '*';
    if (Array.isArray(value)) return chosen(value, at);
    return at.error(
      `found ${shown(value, at)}; expected a list of file fields, or "*" for the files of all of them`,
    );
  },
);

/** The files of a submission as attachments of mails. */
export const attachments = outputExtension({
  name: 'attachments',
  types: ['smtp', 'email'],
  keys: {
    attachments: withDefault('*', 'File fields to attach; `"*"` for all, `[]` for none.', fileFields),
  },
  configure: ({ output: { attachments: chosen = '*' }, fields }, at) => {
    const known = fields.filter(({ takeFiles }) => takeFiles).map((field) => field.name);
    const names = chosen === '*' ? known : chosen;
    if (chosen !== '*')
      for (const [index, one] of chosen.entries())
        if (!known.includes(one) && fields.some((field) => field.name === one))
          at.in('attachments', index).warning(`"${one}" is not a field of type file`);
    if (names.length === 0) return undefined;
    return {
      ...(chosen !== '*' && {
        alsoReads: chosen.map((name, index) => ({ name, path: ['attachments', index] })),
      }),
      wrapTransport: (transport) => ({
        ...transport,
        takesFile: (field) => names.includes(field),
        send: (delivery, call) => {
          if (delivery.files.size === 0) return transport.send(delivery, call);
          const files = [...delivery.files].flatMap(([field, some]) => (names.includes(field) ? some : []));
          const { mail } = delivery;
          const all = [...(mail?.attachments ?? []), ...files];
          return transport.send(
            all.length === 0 ? delivery : { ...delivery, mail: { ...mail, attachments: all } },
            call,
          );
        },
      }),
    };
  },
});

/** Config keys that also load this plug-in. */
export const uses = ['form keys_env'];

export const plugin: Plugin = {
  name: 'files',
  fields: [file],
  features: [bodies],
  outputExtensions: [attachments],
  checks: [check('Files', () => import('./check.ts'))],
  messages: { en: messages },
};
