/** Files and other bodies: `type: file`, `multipart/form-data`, JSON, and attachments of mails. */
import { check } from '@form-relay/core/command';
import { outputExtension } from '@form-relay/core/extensions';
import type { Plugin, Schema } from '@form-relay/core/index';
import { array } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { name } from '@form-relay/schema/scalars';
import { jsonSchemaOf, schema, withDefault } from '@form-relay/schema/schema';
import { bodies } from './bodies.ts';
import { file } from './file.ts';
import messages from './messages.json' with { type: 'json' };

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
          at.in('attachments', index).warning(`"${one}" is no field of type file`);
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

/** Keys and types of others for which the relay loads this plug-in as well. */
export const uses = ['form keys_env'];

export const plugin: Plugin = {
  name: 'files',
  fields: [file],
  features: [bodies],
  outputExtensions: [attachments],
  checks: [check('Files', () => import('./check.ts'))],
  messages: { en: messages },
};
