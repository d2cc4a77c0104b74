/** The check of `relay doctor` for forms that accept files. */
import { type Finding, ok, warning } from '@form-relay/base/finding';
import { sizeInWords } from '@form-relay/base/values';
import type { CheckContext } from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';

/** The maximum that API Gateway passes to AWS Lambda: 6 MB, of which base64 takes a quarter. */
const lambdaBodyBytes = 4_613_734;

/** Reports how large submissions with files may be: according to the forms, and to the limits of the relay and AWS Lambda. */
export const probe = async ({ config, settings }: CheckContext): Promise<readonly Finding[]> =>
  [...(config?.forms.values() ?? [])]
    .filter(({ fields }) => fields.some(({ takeFiles }) => takeFiles))
    .map((form) => limitOf(form, settings.uploadBudget));

function limitOf({ id, bodies }: Form, uploadBudget: number): Finding {
  const limit = Math.max(...[...bodies.values()].map(({ maxBytes }) => maxBytes));
  const subject = `forms.${id}`;
  if (limit > uploadBudget) {
    return warning(
      subject,
      `accepts ${sizeInWords(limit)} (max_body), more than all uploads together may use: submissions over ${sizeInWords(uploadBudget)} are rejected`,
      `Set UPLOAD_BUDGET to several times ${limit}, or lower max_body.`,
    );
  }
  const onLambda =
    limit > lambdaBodyBytes
      ? `; on AWS Lambda ${sizeInWords(lambdaBodyBytes)}, the limit of API Gateway`
      : '';
  return ok(subject, `accepts submissions of up to ${sizeInWords(limit)}${onLambda}`);
}
