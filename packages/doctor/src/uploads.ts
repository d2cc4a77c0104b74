import { sizeInWords } from '@form-relay/base/values';
import type { Form } from '@form-relay/core/form';
import { type Diagnosis, ok, warning } from '@form-relay/mail-dns';
import type { Examine } from './examination.ts';
import { formsOf } from './outputs.ts';

/** The most that API Gateway lets through to AWS Lambda: 6 MB, of which base64 takes a quarter. */
const lambdaBodyBytes = 4_613_734;

const bodyLimit = ({ bodies }: Form): number =>
  Math.max(...[...bodies.values()].map(({ maxBytes }) => maxBytes));

/** How large submissions with files may be: what the forms say, and what the relay and AWS Lambda can take at all. */
export const examineUploads: Examine = async (setup) => {
  const { uploadBudget } = setup.settings;
  return formsOf(setup)
    .filter(({ fields }) => fields.some(({ takeFiles }) => takeFiles))
    .map((form): Diagnosis => {
      const { id } = form;
      const limit = bodyLimit(form);
      const subject = `forms.${id}`;
      if (limit > uploadBudget) {
        return warning(
          subject,
          `takes ${sizeInWords(limit)} (max_body), more than all uploads together may hold: no submission over ${sizeInWords(uploadBudget)} is taken`,
          `Set UPLOAD_BUDGET to several times ${limit}, or lower max_body.`,
        );
      }
      const onLambda =
        limit > lambdaBodyBytes
          ? `; on AWS Lambda ${sizeInWords(lambdaBodyBytes)}, which is all that API Gateway lets through to it`
          : '';
      return ok(subject, `takes submissions of up to ${sizeInWords(limit)}${onLambda}`);
    });
};
