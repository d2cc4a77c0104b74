import { networksIn } from '@form-relay/base/networks';
import { ok } from '@form-relay/base/result';
import type { Environment, SettingProblem, VariableValues } from '@form-relay/schema/variables';
import * as readers from '@form-relay/schema/variables';
import { readVariables, variable, variableWithDefault } from '@form-relay/schema/variables';
import { maxBodyBytes } from './http/request.ts';

export type { Environment } from '@form-relay/schema/variables';

const text = (value: string) => ok(value);
const bodies = readers.bytesLimit(maxBodyBytes);

/** The variables of the core (SPEC: Configuration sources and caching). Plug-ins declare their own (`Plugin.variables`). */
export const settingVariables = {
  configInline: variable('CONFIG_INLINE', 'The config itself, as YAML. Overrides every other source.', text),
  configFile: variable('CONFIG_FILE', 'Path of the config file. Overrides the bucket.', text),
  configBucket: variable(
    'CONFIG_BUCKET',
    'S3 bucket with the config, or the alias of an access point.',
    text,
  ),
  configBucketRegion: variable(
    'CONFIG_BUCKET_REGION',
    'Region of that bucket, if it is not `AWS_REGION`.',
    readers.region,
  ),
  configKey: variableWithDefault('CONFIG_KEY', 'webform.yaml', 'Key of the config in the bucket.', text),
  cacheTtlMs: variable(
    'CACHE_TTL',
    'Time until a loaded config is read again. Overrides `cache_ttl`.',
    readers.durationMs,
  ),
  plugins: variableWithDefault(
    'RELAY_PLUGINS',
    '',
    'Comma-separated packages, modules and folders with plug-ins for every config (docs/plugins.md). `none`, alone or first, turns off all plug-ins, even those in a config.',
    (names) => ok(readers.textsIn(names)),
  ),
  mailFromAddress: variable(
    'MAIL_FROM_ADDRESS',
    'Verified sender of `email` outputs, such as `forms@example.com`.',
    readers.sender,
  ),
  smtpEhloName: variable(
    'SMTP_EHLO_NAME',
    "The relay's name for SMTP servers, such as `forms.example.com`. Default: the machine's full name, or its address, such as `[192.0.2.1]`.",
    readers.ehloName,
  ),
  formTokenSecret: variableWithDefault(
    'FORM_TOKEN_SECRET',
    '',
    'Signs timestamps, puzzles and links, such as those of `double_opt_in`. If set, visitors can reload the thank-you page without sending the form again.',
    readers.ownSecret,
  ),
  allowedOrigins: variableWithDefault(
    'ALLOWED_ORIGINS',
    '*',
    "Comma-separated origins that may read responses in a browser and show the relay's pages in a frame, such as `https://example.com`; `*` lets all origins read.",
    readers.origins,
  ),
  publicUrl: variable(
    'PUBLIC_URL',
    'Public address of the relay, such as `https://forms.example.com`. Default: from `X-Forwarded-Host` and `-Proto`, or `Host`, and from `X-Forwarded-Prefix` of a trusted proxy. Forms that mail links require it.',
    readers.publicUrl,
  ),
  trustedProxies: variable(
    'TRUSTED_PROXIES',
    'Comma-separated addresses and networks (CIDR) of proxies that report the client’s address, such as `127.0.0.1,10.0.0.0/8`; `none` without a proxy. If unset, connections from private networks count as proxies and the client is unknown. Behind a proxy, `rate_limit` needs it (docs/rate-limit.md).',
    networksIn,
  ),
  proxyHeader: variableWithDefault(
    'PROXY_HEADER',
    'x-forwarded-for',
    'The header in which proxies report the client: `x-forwarded-for`, or `forwarded` (RFC 7239). Others are ignored.',
    readers.nameOf('x-forwarded-for', 'forwarded'),
  ),
  logFormat: variable(
    'LOG_FORMAT',
    'Format of the log: `json`, an object per line, or `text` for people. Default: `text` in a terminal, otherwise `json`.',
    readers.nameOf('json', 'text'),
  ),
  logLevel: variableWithDefault(
    'LOG_LEVEL',
    'info',
    'The lowest level to log: `info`, `warn` or `error`.',
    readers.nameOf('info', 'warn', 'error'),
  ),
  throttleRate: variableWithDefault(
    'THROTTLE_RATE_LIMIT',
    '10',
    'Average number of requests per second that the HTTP API answers.',
    readers.positive,
  ),
  throttleBurst: variableWithDefault(
    'THROTTLE_BURST_LIMIT',
    '20',
    'Requests that may arrive at once before the rate applies.',
    readers.whole({ least: 1, expected: 'a whole number of at least 1, such as 20' }),
  ),
  connectionLimit: variableWithDefault(
    'CONNECTION_LIMIT',
    '2000',
    'Maximum number of open connections, at most half of `ulimit -n`. Above it, the relay closes an idle connection.',
    readers.limit,
  ),
  clientConnectionLimit: variableWithDefault(
    'CLIENT_CONNECTION_LIMIT',
    '100',
    'Maximum number of connections from a public IP address (IPv6: /64). Private addresses have no limit.',
    readers.limit,
  ),
  bodyBytesLimit: variableWithDefault(
    'BODY_BYTES_LIMIT',
    '16MB',
    'Maximum size of all bodies in memory. Above it, the slowest sender gets a 503.',
    bodies,
  ),
  uploadBudget: variableWithDefault(
    'UPLOAD_BUDGET',
    '64MB',
    'Maximum size of all bodies with files in memory. Above it, the answer is 503.',
    bodies,
  ),
  submissionLimit: variableWithDefault(
    'SUBMISSION_LIMIT',
    '1000',
    'Maximum number of submissions in delivery at once. Above it, the answer is 503.',
    readers.limit,
  ),
  host: variableWithDefault(
    'HOST',
    '0.0.0.0',
    'Address that `relay serve` listens on, unless systemd passes a socket ([docs/deploy/systemd.md](deploy/systemd.md)).',
    text,
  ),
  port: variableWithDefault(
    'PORT',
    '8080',
    'Port that `relay serve` listens on; 0 picks a free one.',
    readers.port,
  ),
  reusePort: variableWithDefault(
    'REUSE_PORT',
    '0',
    '`1` lets several copies of `relay serve` share the same `PORT` on Linux. Needs Node 22.12, or 23.1 and later ([docs/copies.md](copies.md)).',
    readers.flag,
  ),
  metricsPort: variable(
    'METRICS_PORT',
    'Port of `/metrics` for Prometheus, other than `PORT` (docs/metrics.md). If unset, the relay measures nothing.',
    readers.port,
  ),
  metricsHost: variable('METRICS_HOST', 'Address of that port. Default: `HOST`.', text),
};

/** The settings in the environment. Empty variables count as unset. */
export type Settings = Omit<VariableValues<typeof settingVariables>, 'metricsHost'> & {
  readonly metricsHost: string;
};

export const variables: readonly string[] = Object.values(settingVariables).map(({ name }) => name);

/** Malformed variables prevent the start; the message lists them, one per line. */
export class SettingError extends Error {
  override name = 'SettingError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map(({ name, expected }) => `${name}: ${expected}`).join('\n'));
    this.problems = problems;
  }
}

/** Variables of the AWS SDKs that the relay must not ignore. */
const unsupported: Readonly<Record<string, string>> = {
  AWS_USE_FIPS_ENDPOINT:
    'not supported; unset it, and set AWS_ENDPOINT_URL_S3 and similar variables to FIPS endpoints',
  AWS_USE_DUALSTACK_ENDPOINT:
    'not supported; unset it, and set AWS_ENDPOINT_URL_S3 and similar variables to endpoints with IPv6',
};

/**
 * Reads and checks every variable. Throws a `SettingError` that names all malformed ones.
 *
 * @param secrets The variables that contain secrets of plug-ins.
 */
export function readSettings(env: Environment, secrets: readonly string[] = []): Settings {
  const problems: SettingProblem[] = Object.entries(unsupported).flatMap(([name, expected]) =>
    env[name] && env[name] !== 'false' ? [{ name, expected }] : [],
  );
  for (const name of secrets) {
    const secret = readers.ownSecret(env[name] ?? '');
    if (!secret.ok) problems.push({ name, expected: secret.error });
  }
  const read = readVariables(settingVariables, env);
  if (!read.ok) problems.push(...read.error);
  // A shared port would expose the metrics to every visitor.
  const ports = readVariables({ port: settingVariables.port, metrics: settingVariables.metricsPort }, env);
  if (ports.ok && ports.value.metrics && ports.value.metrics === ports.value.port)
    problems.push({ name: 'METRICS_PORT', expected: 'expected a port other than PORT, such as 9090' });
  if (!read.ok || problems.length > 0) throw new SettingError(problems);
  return { ...read.value, metricsHost: read.value.metricsHost ?? read.value.host };
}
