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
  configInline: variable(
    'CONFIG_INLINE',
    'The config itself, as YAML text. Wins over every other source.',
    text,
  ),
  configFile: variable('CONFIG_FILE', 'Path of a config file. Wins over the bucket.', text),
  configBucket: variable(
    'CONFIG_BUCKET',
    'S3 bucket that holds the config, or the alias of an access point to it, read with the AWS credentials and region of the environment.',
    text,
  ),
  configBucketRegion: variable(
    'CONFIG_BUCKET_REGION',
    'The region of that bucket, where it is another one than that of SES and the rest, which `AWS_REGION` names.',
    readers.region,
  ),
  configKey: variableWithDefault('CONFIG_KEY', 'webform.yaml', "The config's key in the bucket.", text),
  cacheTtlMs: variable(
    'CACHE_TTL',
    'How long a loaded config is used before it is fetched again. Wins over `cache_ttl` in the config, which is 30s by default.',
    readers.durationMs,
  ),
  plugins: variableWithDefault(
    'RELAY_PLUGINS',
    '',
    'Comma-separated packages, modules and folders of modules with plug-ins, which are loaded for every config; paths are relative to the folder in which the relay is started. A config that is no file can load no other. `none`, also before others: nothing is loaded, also no plug-in that a config lists.',
    (names) => ok(readers.textsIn(names)),
  ),
  mailFromAddress: variable(
    'MAIL_FROM_ADDRESS',
    'Verified sender of all `email` outputs, such as `forms@example.com`; they need it.',
    readers.sender,
  ),
  smtpEhloName: variable(
    'SMTP_EHLO_NAME',
    "What the relay calls itself to the servers of `smtp` outputs, such as `forms.example.com`. When unset, the machine's name, if it has one with a domain; otherwise its address, such as `[192.0.2.1]`.",
    readers.ehloName,
  ),
  formTokenSecret: variableWithDefault(
    'FORM_TOKEN_SECRET',
    '',
    'Signs min-fill tokens and the puzzles of `proof_of_work` and `challenge`, and seals the links of `double_opt_in`. Forms that use one of them need it; it is never read from the config. With it, a reload of the relay’s own thank-you page sends nothing again.',
    readers.ownSecret,
  ),
  allowedOrigins: variableWithDefault(
    'ALLOWED_ORIGINS',
    '*',
    "Comma-separated origins that may read answers in a browser, such as `https://example.com`; each in full, or `*` alone for all. Those that are listed may show the relay's pages in a frame, too.",
    readers.origins,
  ),
  publicUrl: variable(
    'PUBLIC_URL',
    'Where visitors reach the relay, such as `https://forms.example.com`, or `https://www.example.com/forms` behind a proxy that serves it below a path, for the addresses in its pages, and in forms that pages of other origins show. Guessed from `X-Forwarded-Host` and `X-Forwarded-Proto`, or `Host`, when unset, and the path from `X-Forwarded-Prefix` of a trusted proxy; but forms with `double_opt_in` need it, since no request may decide where the link in a mail leads.',
    readers.publicUrl,
  ),
  trustedProxies: variable(
    'TRUSTED_PROXIES',
    'Comma-separated addresses and networks (CIDR) of the proxies in front of the relay, such as `127.0.0.1,10.0.0.0/8`: they report the client’s address. When unset, connections from private networks count as proxies, and the client is unknown; `none`: there is no proxy. `rate_limit` needs it behind a proxy (docs/spam.md).',
    networksIn,
  ),
  proxyHeader: variableWithDefault(
    'PROXY_HEADER',
    'x-forwarded-for',
    'The header in which proxies report the client: `x-forwarded-for`, or `forwarded` (RFC 7239). The other one is not read.',
    readers.nameOf('x-forwarded-for', 'forwarded'),
  ),
  logFormat: variable(
    'LOG_FORMAT',
    'How the log is written: `json`, an object per line, or `text`, a line for people. When unset, `text` in a terminal, else `json`.',
    readers.nameOf('json', 'text', 'pretty'),
  ),
  logLevel: variableWithDefault(
    'LOG_LEVEL',
    'info',
    'The lowest level that is logged: `info`, `warn` or `error`.',
    readers.nameOf('info', 'warn', 'error'),
  ),
  throttleRate: variableWithDefault(
    'THROTTLE_RATE_LIMIT',
    '10',
    'Requests per second that the whole HTTP API answers in the long run.',
    readers.positive,
  ),
  throttleBurst: variableWithDefault(
    'THROTTLE_BURST_LIMIT',
    '20',
    'Requests that may come at once before the rate applies.',
    readers.whole({ least: 1, expected: 'a whole number of at least 1, such as 20' }),
  ),
  connectionLimit: variableWithDefault(
    'CONNECTION_LIMIT',
    '2000',
    'Connections that clients may have open; never more than half of the files that may be open (`ulimit -n`). For one more, one that is idle is closed.',
    readers.limit,
  ),
  clientConnectionLimit: variableWithDefault(
    'CLIENT_CONNECTION_LIMIT',
    '100',
    'How many of them one public IP address may have (IPv6: one /64). Private addresses count as proxies, and have no limit of their own.',
    readers.limit,
  ),
  bodyBytesLimit: variableWithDefault(
    'BODY_BYTES_LIMIT',
    '16MB',
    'How large the bodies may be that are being read or relayed, together. Beyond it, the slowest to send gets a 503.',
    bodies,
  ),
  uploadBudget: variableWithDefault(
    'UPLOAD_BUDGET',
    '64MB',
    'How large the bodies with files may be that are being read or relayed, together. Beyond it, the answer is a 503.',
    bodies,
  ),
  submissionLimit: variableWithDefault(
    'SUBMISSION_LIMIT',
    '1000',
    'Submissions that are being relayed at the same time. Beyond it, the answer is a 503.',
    readers.limit,
  ),
  host: variableWithDefault(
    'HOST',
    '0.0.0.0',
    'Address that `relay serve` listens on, unless systemd hands it a socket ([docs/deploy/systemd.md](deploy/systemd.md)).',
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
    '`1`: several copies of `relay serve` on one machine may listen on the same `PORT`, where the system can share it (Linux). Needs Node 22.12, or 23.1 and later ([docs/copies.md](copies.md)).',
    readers.flag,
  ),
  metricsPort: variable(
    'METRICS_PORT',
    'Port on which `relay serve` answers `/metrics` for Prometheus (docs/metrics.md); another than `PORT`. When unset, nothing is measured.',
    readers.port,
  ),
  metricsHost: variable('METRICS_HOST', 'Address of that port. When unset, as `HOST`.', text),
};

/** The settings in the environment. Empty variables count as unset. */
export type Settings = Omit<VariableValues<typeof settingVariables>, 'metricsHost'> & {
  readonly metricsHost: string;
};

export const variables: readonly string[] = Object.values(settingVariables).map(({ name }) => name);

/** Malformed variables. Malformed variables prevent the start; the message lists them, one per line. */
export class SettingError extends Error {
  override name = 'SettingError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map(({ name, expected }) => `${name}: ${expected}`).join('\n'));
    this.problems = problems;
  }
}

const removedArn =
  'removed in 0.2.0, because deployments can set the secret itself; unset it, and have SAM, CDK, Terraform or SECRETS_DIR set the variable without _ARN (docs/deploy/aws.md)';

/** Variables that an earlier version read. */
const removed: Readonly<Record<string, string>> = {
  WORKERS:
    'removed in 0.2.0, because one core answers more than a site needs; unset it; for more cores, start several copies (docs/copies.md)',
  AWS_USE_FIPS_ENDPOINT:
    'removed in 0.2.0, because it was hardly used; unset it; for FIPS endpoints, set AWS_ENDPOINT_URL_S3 and its siblings',
  AWS_USE_DUALSTACK_ENDPOINT:
    'removed in 0.2.0, because it was hardly used; unset it; for endpoints with IPv6, set AWS_ENDPOINT_URL_S3 and its siblings',
};

/**
 * Reads and checks every variable. Throws a `SettingError` that names all malformed ones.
 *
 * @param secrets The variables that hold secrets of plug-ins. Started with an ARN in their place, the relay would protect nothing.
 */
export function readSettings(env: Environment, secrets: readonly string[] = []): Settings {
  const problems: SettingProblem[] = Object.entries(removed).flatMap(([name, expected]) =>
    // A switch that is off says nothing.
    env[name] && env[name] !== 'false' ? [{ name, expected }] : [],
  );
  for (const name of ['FORM_TOKEN_SECRET', ...secrets])
    if (env[`${name}_ARN`]) problems.push({ name: `${name}_ARN`, expected: removedArn });
  for (const name of secrets) {
    const secret = readers.ownSecret(env[name] ?? '');
    if (!secret.ok) problems.push({ name, expected: secret.error });
  }
  const read = readVariables(settingVariables, env);
  if (!read.ok) problems.push(...read.error);
  // A shared port would expose the metrics to everybody who can submit forms.
  const ports = readVariables({ port: settingVariables.port, metrics: settingVariables.metricsPort }, env);
  if (ports.ok && ports.value.metrics && ports.value.metrics === ports.value.port)
    problems.push({ name: 'METRICS_PORT', expected: 'expected another port than PORT, such as 9090' });
  if (!read.ok || problems.length > 0) throw new SettingError(problems);
  return { ...read.value, metricsHost: read.value.metricsHost ?? read.value.host };
}

/** The settings that can be used, and what is wrong with the others. */
export function settle(
  env: Environment,
  secrets?: readonly string[],
): {
  readonly settings: Settings;
  readonly settingProblems: readonly SettingProblem[];
} {
  try {
    return { settings: readSettings(env, secrets), settingProblems: [] };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const { problems: settingProblems } = error;
    const rest = Object.entries(env).filter(([name]) => settingProblems.every((one) => one.name !== name));
    return { settings: readSettings(Object.fromEntries(rest)), settingProblems };
  }
}
