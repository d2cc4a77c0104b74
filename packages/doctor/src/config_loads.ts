import { sizeInWords } from '@form-relay/base/values';
import type { Form } from '@form-relay/core/form';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import type { Problem } from '@form-relay/yaml/problem';
import type { Examine } from './examination.ts';
import { formsOf } from './outputs.ts';

/** The config that `relay serve` would take here: whether it can be read, loads, and has warnings. */
export const examineConfig: Examine = async (setup) => {
  const { source, parsed } = setup.config;
  if (!parsed.ok) {
    return [
      failure(
        source,
        parsed.error,
        source.startsWith('s3://')
          ? 'Check CONFIG_BUCKET, CONFIG_KEY, the region and the credentials.'
          : 'Say where the config is (--config, CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET), or write one with relay init.',
      ),
    ];
  }
  const config = parsed.value;
  if (!config.ok) return config.error.map(toDiagnosis);
  const declared = formsOf(setup);
  const outputs = declared.reduce((sum, form) => sum + form.outputs.length, 0);
  const warnings = await config.value.warnings();
  const { namedPlugins } = config.value;
  const ofPlugins = namedPlugins.length > 0 ? `; plug-ins: ${namedPlugins.join(', ')}` : '';
  return [
    ok(source, `loads: ${count(declared.length, 'form')}, ${count(outputs, 'output')}${ofPlugins}`),
    // The examination of the store says it.
    ...warnings.filter((one) => one.code !== 'store_of_cloudflare').map(toDiagnosis),
  ];
};

/** As `relay config validate` shows it; the message says what would do. */
function toDiagnosis({ code, severity, file, line, column, path, message, excerpt }: Problem): Diagnosis {
  // An output of an unknown type loads, and every submission is answered 500.
  const verdict = severity === 'error' || code === 'output_type_unknown' ? 'failure' : 'warning';
  return {
    subject: `${file}:${line}:${column}`,
    verdict,
    says: `${path && `${path}: `}${message}\n${excerpt}`,
  };
}

const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;

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
