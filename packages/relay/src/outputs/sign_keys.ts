import * as v from 'valibot';
import { failed } from '../base/client_error.ts';
import { type Finding, finding } from '../base/config_finding.ts';
import type { Schema } from '../schema/any_schema.ts';
import { optional, required, section } from '../schema/keys.ts';
import { list } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import type { HttpMessage } from '../transports/http/http_message.ts';
import { readSecret } from '../transports/http/webhook_secret.ts';
import { secretTemplate } from './secret_template.ts';

const secret = () => secretTemplate('HOOK_SECRET');
const [one, several] = [secret(), list(secret(), { least: 1 })];

/** Signs what an output sends. There is no empty block: whoever begins one means to sign. */
export const signKey = {
  sign: optional(
    'Signs each request as [Standard Webhooks](https://www.standardwebhooks.com) does, so that the receiver knows that ' +
      'it comes from here (docs/verifying.md).',
    section(
      {
        secret: required(
          'What to sign with, only as `{{ env "NAME" }}`: `relay webhook secret` prints one. While it changes, a list, ' +
            'the new one first: a receiver takes a request that either of them has signed.',
          v.pipe(
            v.lazy((input): Schema<Template | readonly Template[]> => (Array.isArray(input) ? several : one)),
            v.metadata({ jsonSchema: { title: 'template or list', type: ['string', 'array'], minItems: 1 } }),
          ),
        ),
      },
      `{secret: '{{ env "HOOK_SECRET" }}'}`,
    ),
  ),
};

export interface Signed {
  readonly sign?: { readonly secret: Template | readonly Template[] } | undefined;
}

/** Headers of the signature's name: one of the two would have no effect. */
export const signProblems = ({
  sign,
  headers,
}: Signed & { readonly headers?: unknown }): readonly Finding[] =>
  // Headers that are wrong are still as they were written.
  sign === undefined || !(headers instanceof Map)
    ? []
    : [...headers.keys()]
        .filter((name) => /^webhook-(id|timestamp|signature)$/i.test(name))
        .map((name) => ({ ...finding('header_of_signature', ['headers', name], { name }), aboutKey: true }));

/** Throws a `ClientError` for what is no secret: a request that nobody signed would be refused, or worse, taken. */
export function signingOf({ sign }: Signed, scope: Scope): HttpMessage['signing'] {
  if (!sign) return undefined;
  const { secret } = sign;
  if (!Array.isArray(secret)) return { secrets: [secretIn(secret as Template, 'sign.secret', scope)] };
  return { secrets: secret.map((one, index) => secretIn(one, `sign.secret[${index}]`, scope)) };
}

function secretIn(template: Template, key: string, scope: Scope): string {
  const rendered = template.render(scope);
  if (rendered === '') throw failed('rendered_empty', { key });
  readSecret(rendered, `\`${key}\``);
  return rendered;
}
