import { ClientError } from '@form-relay/base/client_error';
import { readSecret } from '@form-relay/clients/webhook/secret';
import { type Diagnosis, failure, ok } from '@form-relay/mail-dns';
import type { Template } from '@form-relay/schema/template';
import { formatPath } from '@form-relay/yaml/problem';
import type { DoctorContext } from './context.ts';
import type { Examine } from './examination.ts';
import { groupBy, outputsOf, places, renderWithoutFields } from './outputs.ts';

interface Use {
  readonly template: Template;
  readonly place: string;
}

/** Checks whether the variables of `sign` hold secrets. Another examination reports unset ones. */
export const examineSigningSecrets: Examine = async (setup, { env }) => {
  const uses = outputsOf(setup).flatMap(({ output, path }): Use[] =>
    (output?.templates ?? [])
      .filter((one) => one.path[0] === 'sign')
      .map((one) => ({ template: one.template, place: formatPath([...path, ...one.path]) })),
  );
  return groupBy(uses, ({ template }) => template.source).flatMap((used) => secret(used, env));
};

function secret(used: readonly [Use, ...Use[]], env: DoctorContext['env']): readonly Diagnosis[] {
  const [{ template }] = used;
  const subject = [...template.envNames].join(' and ');
  const rendered = renderWithoutFields(template, env);
  if (rendered === '') return [];
  try {
    const { length } = readSecret(rendered, 'it');
    return [ok(subject, `a secret of ${length} bytes; signs for ${places(used)}`)];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}, so nothing is delivered (${places(used)})`;
    return [failure(subject, says, 'relay webhook secret prints one; the receiver needs the same.')];
  }
}
