import type { LogLevel } from '../../base/effects.ts';
import type { Network } from '../../base/networks.ts';
import { ok, type Result } from '../../base/result.ts';
import {
  bytesLimit,
  durationMs,
  ehloName,
  flag,
  type LogFormat,
  limit,
  logFormat,
  logLevel,
  origins,
  port,
  positive,
  proxies,
  proxyHeader,
  publicUrl,
  region,
  secretNamed,
  sender,
  textsIn,
  whole,
} from './kinds.ts';
import { isRemovedSet, removedVariables, sayRemoved } from './removed_variables.ts';
import { type VariableName, variables } from './variables.ts';

/** The settings in the environment (SPEC: Configuration sources and caching). Empty means unset. */
export interface Settings {
  readonly configInline: string | undefined;
  readonly configFile: string | undefined;
  readonly configBucket: string | undefined;
  readonly configBucketRegion: string | undefined;
  readonly configKey: string;
  /** Overrides the config's `cache_ttl`. */
  readonly cacheTtlMs: number | undefined;
  readonly mailFromAddress: string | undefined;
  /** A host name, or an address in brackets. */
  readonly smtpEhloName: string | undefined;
  /** If empty, forms with min-fill fail closed. */
  readonly formTokenSecret: string;
  /** If empty, deliveries are kept unencrypted. */
  readonly keepSecret: string;
  /** The first signs receipts; all of them verify. */
  readonly receiptSecrets: readonly string[];
  /** The relay's public URL; `undefined`: guessed from each request. */
  readonly publicUrl: string | undefined;
  /** `*`, or the origins that may read answers in a browser. */
  readonly allowedOrigins: '*' | ReadonlySet<string>;
  /** The proxies that are trusted to name the client; empty: there are none; `undefined`: not configured. */
  readonly trustedProxies: readonly Network[] | undefined;
  /** The header in which proxies name the client. */
  readonly proxyHeader: 'x-forwarded-for' | 'forwarded';
  /** `undefined`: pretty on a terminal, otherwise JSON. */
  readonly logFormat: LogFormat | undefined;
  readonly logLevel: LogLevel;
  readonly throttleRate: number;
  readonly throttleBurst: number;
  readonly connectionLimit: number;
  readonly clientConnectionLimit: number;
  readonly bodyBytesLimit: number;
  /** In bytes, for all uploads in progress together. */
  readonly uploadBudget: number;
  readonly submissionLimit: number;
  readonly host: string;
  readonly port: number;
  /** `undefined`: metrics are off. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  /** Whether several copies of the relay listen on the same port. */
  readonly reusePort: boolean;
}

export interface SettingProblem {
  readonly name: string;
  readonly expected: string;
}

/** Malformed variables. They prevent the start; the message lists them, one per line. */
export class SettingError extends Error {
  override name = 'SettingError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map(({ name, expected }) => `${name}: ${expected}`).join('\n'));
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks every variable. Throws a `SettingError` that names all malformed ones. */
export function readSettings(env: Environment): Settings {
  const problems: SettingProblem[] = Object.entries(removedVariables).flatMap(([name, removed]) =>
    isRemovedSet(env[name]) ? [{ name, expected: sayRemoved(removed) }] : [],
  );
  const given = (name: VariableName) => env[name] || undefined;
  const read = <T>(name: VariableName, parse: (text: string) => Result<T, string>): T => {
    const fallback: string = variables.find((variable) => variable.name === name)?.fallback ?? '';
    const value = parse(given(name) ?? fallback);
    if (value.ok) return value.value;
    problems.push({ name, expected: value.error });
    // Never visible: the problems are thrown below.
    return undefined as T;
  };
  const readGiven = <T>(name: VariableName, parse: (text: string) => Result<T, string>): T | undefined =>
    given(name) === undefined ? undefined : read(name, parse);
  const secret = (name: VariableName) => read(name, secretNamed(name));
  const settings: Settings = {
    configInline: given('CONFIG_INLINE'),
    configFile: given('CONFIG_FILE'),
    configBucket: given('CONFIG_BUCKET'),
    configBucketRegion: readGiven('CONFIG_BUCKET_REGION', region),
    configKey: read('CONFIG_KEY', ok),
    cacheTtlMs: readGiven('CACHE_TTL', durationMs),
    mailFromAddress: readGiven('MAIL_FROM_ADDRESS', sender),
    smtpEhloName: readGiven('SMTP_EHLO_NAME', ehloName),
    formTokenSecret: secret('FORM_TOKEN_SECRET'),
    keepSecret: secret('KEEP_SECRET'),
    receiptSecrets: textsIn(secret('RECEIPT_SECRET')),
    publicUrl: readGiven('PUBLIC_URL', publicUrl),
    allowedOrigins: read('ALLOWED_ORIGINS', origins),
    trustedProxies: readGiven('TRUSTED_PROXIES', proxies),
    proxyHeader: read('PROXY_HEADER', proxyHeader),
    logFormat: readGiven('LOG_FORMAT', logFormat),
    logLevel: read('LOG_LEVEL', logLevel),
    throttleRate: read('THROTTLE_RATE_LIMIT', positive),
    throttleBurst: read(
      'THROTTLE_BURST_LIMIT',
      whole({ least: 1, expected: 'a whole number of at least 1, such as 20' }),
    ),
    connectionLimit: read('CONNECTION_LIMIT', limit),
    clientConnectionLimit: read('CLIENT_CONNECTION_LIMIT', limit),
    bodyBytesLimit: read('BODY_BYTES_LIMIT', bytesLimit),
    uploadBudget: read('UPLOAD_BUDGET', bytesLimit),
    submissionLimit: read('SUBMISSION_LIMIT', limit),
    host: read('HOST', ok),
    port: read('PORT', port),
    metricsPort: readGiven('METRICS_PORT', port),
    reusePort: read('REUSE_PORT', flag),
    metricsHost: given('METRICS_HOST') ?? read('HOST', ok),
  };
  // A shared port would expose the metrics to everybody who can submit forms.
  if (settings.metricsPort && settings.metricsPort === settings.port) {
    problems.push({ name: 'METRICS_PORT', expected: 'expected another port than PORT, such as 9090' });
  }
  if (problems.length > 0) throw new SettingError(problems);
  return settings;
}
