import { lambdaBodyBytes, sizeInWords } from '@form-relay/relay/base';
import { type Diagnosis, ok, warning } from '@form-relay/relay/diagnosis';
import type { Examine } from './examination.ts';

/** How large submissions with files may be: what the forms say, and what the relay and AWS Lambda can take at all. */
export const examineUploads: Examine = async ({ forms, settings }) => {
  const { uploadBudget } = settings;
  return forms
    .filter(({ fields }) => fields.some(({ takeFiles }) => takeFiles))
    .map(({ id, bodyLimit }): Diagnosis => {
      const subject = `forms.${id}`;
      if (bodyLimit > uploadBudget) {
        return warning(
          subject,
          `takes ${sizeInWords(bodyLimit)} (max_body), more than all uploads together may hold: no submission over ${sizeInWords(uploadBudget)} is taken`,
          `Set UPLOAD_BUDGET to several times ${bodyLimit}, or lower max_body.`,
        );
      }
      const onLambda =
        bodyLimit > lambdaBodyBytes
          ? `; on AWS Lambda ${sizeInWords(lambdaBodyBytes)}, which is all that API Gateway lets through to it`
          : '';
      return ok(subject, `takes submissions of up to ${sizeInWords(bodyLimit)}${onLambda}`);
    });
};
