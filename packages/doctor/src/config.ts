import { type Finding, failure, ok } from '@form-relay/base/finding';
import type { Problem } from '@form-relay/yaml/problem';
import type { Setup } from './setup.ts';

/** The config that `relay serve` would take here: whether it can be read, loads, and has warnings. */
export async function probeConfig({ config: { source, parsed } }: Setup): Promise<readonly Finding[]> {
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
  if (!config.ok) return config.error.map(findingOf);
  const { forms, namedPlugins } = config.value;
  const outputs = [...forms.values()].reduce((sum, form) => sum + form.outputs.length, 0);
  const warnings = await config.value.warnings();
  const ofPlugins = namedPlugins.length > 0 ? `; plug-ins: ${namedPlugins.join(', ')}` : '';
  return [
    ok(source, `loads: ${count(forms.size, 'form')}, ${count(outputs, 'output')}${ofPlugins}`),
    // The check of the store says it.
    ...warnings.filter((one) => one.code !== 'store_of_cloudflare').map(findingOf),
  ];
}

/** As `relay config validate` shows it; the message says what would do. */
function findingOf({ code, severity, file, line, column, path, message, excerpt }: Problem): Finding {
  // An output of an unknown type loads, and every submission is answered 500.
  const level = severity === 'error' || code === 'output_type_unknown' ? 'failure' : 'warning';
  return {
    level,
    subject: `${file}:${line}:${column}`,
    says: `${path && `${path}: `}${message}\n${excerpt}`,
  };
}

const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;
