/** A server that carries mails to visitors, and gets no submissions. */

import * as v from 'valibot';
import { outputTypeOf } from '../../outputs/index.ts';
import { mailKeys } from '../../outputs/mail_outputs.ts';
import { commonKeys, type Output } from '../../outputs/output.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { wrong } from '../../schema/issue.ts';
import { required, section } from '../../schema/keys.ts';
import { choice, isMap } from '../../schema/kinds.ts';
import { takesMails } from '../../transports/index.ts';

export const mailTypes = ['smtp', 'email'] as const;
type MailType = (typeof mailTypes)[number];

const typeKey = required('The type of the output that sends mails in this way.', choice(mailTypes));

/** Keys that say how and when to send, and not what to whom. */
function keysOf(type: MailType): v.ObjectEntries {
  const ofType = Object.entries(outputTypeOf(type)?.keys ?? {}).filter(([key]) => !(key in mailKeys));
  const { timeout, retries } = commonKeys;
  return { type: typeKey, ...Object.fromEntries(ofType), timeout, retries };
}

/** The output of this type, without what only a submission needs. */
function schemaOf(type: MailType): Schema<Output> {
  const shape = section(keysOf(type));
  const whole = outputTypeOf(type)?.schema as Schema<Output>;
  const checked: typeof shape = {
    ...shape,
    '~run': (dataset, config) => {
      const written = dataset.value as object;
      const read = whole['~run']({ value: { ...written, ...standIns } }, config);
      if (!read.typed || read.issues) return read as never;
      const output: Output = {
        ...read.value,
        target: withoutRecipients(read.value.target),
        templates: read.value.templates.filter(({ path }) => !(String(path[0]) in standIns)),
      };
      return { typed: true, value: output } as never;
    },
  };
  return checked as never;
}

/** Values that the whole output needs, and no mail shows. */
const standIns = { to: 'nobody@relay.invalid' };

const withoutRecipients = (target: Output['target']): Output['target'] =>
  takesMails(target) ? { ...target, to: [] } : target;

/** Made when it is first used: output types load beside this module, some of them after it. */
const schemas = new Map<MailType, Schema<Output>>();

function schemaFor(type: unknown): Schema<Output> {
  const known = mailTypes.find((one) => one === type);
  if (known === undefined) return ofNoType();
  const schema = schemas.get(known) ?? schemaOf(known);
  schemas.set(known, schema);
  return schema;
}

const ofNoType = (): Schema<Output> =>
  section({
    ...Object.fromEntries(
      mailTypes.flatMap((type) => Object.keys(keysOf(type)).map((key) => [key, v.optional(v.unknown())])),
    ),
    type: typeKey,
  }) as never;

/** For the config's JSON Schema. */
export const carriers = () => mailTypes.map((type) => ({ type, keys: keysOf(type) }));

export const carrier: Schema<Output> = v.lazy((input) => schemaFor(isMap(input) ? input.type : undefined));

/** The place of an output, as the log and all messages count it: from 0. */
const place: Schema<number> = v.pipe(
  v.string(wrong('not_a_carrier')),
  v.check((found) => /^\d{1,4}$/.test(found), wrong('not_a_carrier')),
  v.transform(Number),
  v.metadata({ jsonSchema: { title: 'number', type: ['integer', 'string'], minimum: 0 } }),
);

export const throughSchema: Schema<number | Output> = v.pipe(
  v.lazy((input): Schema<number | Output> => (isMap(input) ? carrier : place)),
  v.metadata({ jsonSchema: { title: 'number, or map' }, either: [place, carrier] }),
);
