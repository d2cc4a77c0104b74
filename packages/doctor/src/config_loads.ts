import { type Diagnosis, failure, ok } from '@form-relay/mail-dns';
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
  return [
    ok(source, `loads: ${count(declared.length, 'form')}, ${count(outputs, 'output')}`),
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
