import { isIPv4, isIPv6 } from 'node:net';
import { hostName, parseAddress } from './address.ts';
import { say } from './finding_words.ts';
import { maxBodyBytes } from './http.ts';
import { isWhole, masked, type Network, readNetwork, writeNetwork } from './networks.ts';
import { err, ok, type Result } from './result.ts';
import { parseDuration } from './schema/duration.ts';
import { parseSize } from './schema/size.ts';
import { parseUrl } from './url.ts';

/** What the environment configures (SPEC: Configuration sources and caching). Unset and empty are the same (D8). */
export interface Settings {
  readonly configInline: string | undefined;
  readonly configFile: string | undefined;
  readonly configBucket: string | undefined;
  readonly configKey: string;
  /** Wins over the file's `cache_ttl` (D8). */
  readonly cacheTtlMs: number | undefined;
  readonly mailFromAddress: string | undefined;
  /** A host's name, or an address in brackets. */
  readonly smtpEhloName: string | undefined;
  /** Empty: forms with min-fill fail closed. */
  readonly formTokenSecret: string;
  /** Empty: what is kept lies there in clear. */
  readonly keepSecret: string;
  /** The first signs; all of them are told to whoever checks receipts. */
  readonly receiptSecrets: readonly string[];
  /** Where visitors reach the relay; `undefined`: it is guessed from each request. */
  readonly publicUrl: string | undefined;
  /** `*`, or the origins that may read answers in a browser. */
  readonly allowedOrigins: '*' | ReadonlySet<string>;
  /** Whose word counts on who sends a request; none where nobody stands in front; `undefined`: nobody says it. */
  readonly trustedProxies: readonly Network[] | undefined;
  /** Where they say it. */
  readonly proxyHeader: 'x-forwarded-for' | 'forwarded';
  readonly throttleRate: number;
  readonly throttleBurst: number;
  readonly connectionLimit: number;
  readonly clientConnectionLimit: number;
  readonly bodyBytesLimit: number;
  /** Bytes of the bodies with files that are under way, together. */
  readonly uploadBudget: number;
  readonly submissionLimit: number;
  readonly host: string;
  readonly port: number;
}

interface Setting {
  readonly name: string;
  readonly fallback: string | undefined;
  readonly doc: string;
}

/** Every variable, with its default and its meaning, as docs/reference.md shows them. */
export const variables = [
  {
    name: 'CONFIG_INLINE',
    fallback: undefined,
    doc: 'The config itself, as YAML text. Wins over every other source.',
  },
  { name: 'CONFIG_FILE', fallback: undefined, doc: 'Path of a config file. Wins over the bucket.' },
  {
    name: 'CONFIG_BUCKET',
    fallback: undefined,
    doc: 'S3 bucket that holds the config, read with the AWS credentials and region of the environment.',
  },
  { name: 'CONFIG_KEY', fallback: 'webform.yaml', doc: "The config's key in the bucket." },
  {
    name: 'RELAY_CONFIG',
    fallback: 'webform.yaml',
    doc: 'Path of the config for the command line, and for `relay serve` and `relay doctor` when none of the above is set.',
  },
  {
    name: 'CACHE_TTL',
    fallback: '30s',
    doc: 'How long a loaded config is used before it is fetched again. Wins over `cache_ttl` in the config.',
  },
  {
    name: 'MAIL_FROM_ADDRESS',
    fallback: undefined,
    doc: 'Verified sender of all `email` outputs, such as `forms@example.com`; they need it.',
  },
  {
    name: 'SMTP_EHLO_NAME',
    fallback: undefined,
    doc:
      'What the relay calls itself to the servers of `smtp` outputs, such as `forms.example.com`. When unset, the ' +
      "machine's name, if it has one with a domain; otherwise its address, such as `[192.0.2.1]`.",
  },
  {
    name: 'FORM_TOKEN_SECRET',
    fallback: undefined,
    doc: 'Signs min-fill tokens and the puzzles of `proof_of_work` and `challenge`, and seals the links of `double_opt_in`. Forms that use one of them need it; it is never read from the config.',
  },
  {
    name: 'KEEP_SECRET',
    fallback: undefined,
    doc: 'Encrypts what forms with `keep` keep. Relays that share a store share it, and whoever loses it loses what is kept.',
  },
  {
    name: 'RECEIPT_SECRET',
    fallback: undefined,
    doc: 'Signs the receipts of forms with `receipt`, which need it. Several with commas between them: the first signs, and receipts of the others stay good (docs/receipts.md).',
  },
  {
    name: 'ALLOWED_ORIGINS',
    fallback: '*',
    doc: "Comma-separated origins that may read answers in a browser, such as `https://example.com`. Those that are listed may show the relay's pages in a frame, too.",
  },
  {
    name: 'PUBLIC_URL',
    fallback: undefined,
    doc:
      'Where visitors reach the relay, such as `https://forms.example.com`, for the addresses in forms that pages of ' +
      'other origins show. Guessed from `X-Forwarded-Host` and `X-Forwarded-Proto`, or `Host`, when unset; but forms ' +
      'with `double_opt_in` need it, since nobody’s request may say where the link of a mail leads.',
  },
  {
    name: 'TRUSTED_PROXIES',
    fallback: undefined,
    doc:
      'Comma-separated addresses and networks (CIDR) of the proxies in front of the relay, such as `127.0.0.1,10.0.0.0/8`: they ' +
      'say who sends a request. When unset, whoever connects from a private network is taken for one, and nobody knows who sends; ' +
      '`none`: no proxy is there. `rate_limit` needs it behind a proxy (docs/spam.md).',
  },
  {
    name: 'PROXY_HEADER',
    fallback: 'x-forwarded-for',
    doc: 'The header in which they say it: `x-forwarded-for`, or `forwarded` (RFC 7239). The other one is not read.',
  },
  {
    name: 'THROTTLE_RATE_LIMIT',
    fallback: '10',
    doc: 'Requests per second that the whole HTTP API answers in the long run.',
  },
  {
    name: 'THROTTLE_BURST_LIMIT',
    fallback: '20',
    doc: 'Requests that may come at once before the rate applies.',
  },
  {
    name: 'CONNECTION_LIMIT',
    fallback: '2000',
    doc:
      'Connections that clients may have open; never more than half of the files that may be open (`ulimit -n`). For one more, ' +
      'one that is idle is closed.',
  },
  {
    name: 'CLIENT_CONNECTION_LIMIT',
    fallback: '100',
    doc:
      'Of these, how many one public IP address may have (of IPv6, a /64). Addresses of private networks are taken for ' +
      'proxies, and may have all.',
  },
  {
    name: 'BODY_BYTES_LIMIT',
    fallback: '16MB',
    doc: 'How large the bodies may be that are being read or relayed, together. Beyond it, the slowest to send gets a 503.',
  },
  {
    name: 'UPLOAD_BUDGET',
    fallback: '64MB',
    doc: 'How large the bodies with files may be that are being read or relayed, together. Beyond it, the answer is a 503.',
  },
  {
    name: 'SUBMISSION_LIMIT',
    fallback: '1000',
    doc: 'Submissions that are being relayed at the same time. Beyond it, the answer is a 503.',
  },
  { name: 'HOST', fallback: '0.0.0.0', doc: 'Address that `relay serve` listens on.' },
  { name: 'PORT', fallback: '8080', doc: 'Port that `relay serve` listens on; 0 picks a free one.' },
] as const satisfies readonly Setting[];

type Name = (typeof variables)[number]['name'];

export interface SettingProblem {
  /** The variable. */
  readonly name: string;
  readonly expected: string;
}

/** Malformed variables. They stop the start, and the message names them, one a line (D8). */
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
  const problems: SettingProblem[] = [];
  const given = (name: Name) => env[name] || undefined;
  const read = <T>(name: Name, parse: (text: string) => Result<T, string>): T => {
    const fallback: string = variables.find((variable) => variable.name === name)?.fallback ?? '';
    const value = parse(given(name) ?? fallback);
    if (value.ok) return value.value;
    problems.push({ name, expected: value.error });
    // Nobody gets to see it: problems are thrown below.
    return undefined as T;
  };
  const readGiven = <T>(name: Name, parse: (text: string) => Result<T, string>): T | undefined =>
    given(name) === undefined ? undefined : read(name, parse);
  const settings: Settings = {
    configInline: given('CONFIG_INLINE'),
    configFile: given('CONFIG_FILE'),
    configBucket: given('CONFIG_BUCKET'),
    configKey: read('CONFIG_KEY', ok),
    cacheTtlMs: readGiven('CACHE_TTL', durationMs),
    mailFromAddress: readGiven('MAIL_FROM_ADDRESS', sender),
    smtpEhloName: readGiven('SMTP_EHLO_NAME', ehloName),
    formTokenSecret: given('FORM_TOKEN_SECRET') ?? '',
    keepSecret: given('KEEP_SECRET') ?? '',
    receiptSecrets: textsIn(given('RECEIPT_SECRET')),
    publicUrl: readGiven('PUBLIC_URL', publicUrl),
    allowedOrigins: read('ALLOWED_ORIGINS', origins),
    trustedProxies: readGiven('TRUSTED_PROXIES', proxies),
    proxyHeader: read('PROXY_HEADER', proxyHeader),
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
    port: read('PORT', whole({ least: 0, most: 65_535, expected: 'a port from 0 to 65535' })),
  };
  if (problems.length > 0) throw new SettingError(problems);
  return settings;
}

function durationMs(text: string): Result<number, string> {
  const ms = parseDuration(text);
  return ms.ok ? ms : err(say(ms.error));
}

/** A bare address, or one with a name before it. */
function sender(text: string): Result<string, string> {
  const [, named] = /^[^<>\0-\x1f\x7f-\x9f]*<([^<>]*)>$/.exec(text) ?? [];
  return parseAddress(named ?? text) === undefined
    ? err('expected an address such as forms@example.com or Example <forms@example.com>')
    : ok(text);
}

/** RFC 5321, 4.1.4. */
function ehloName(text: string): Result<string, string> {
  const [, four = '', six = ''] = /^\[(?:([\d.]+)|IPv6:([\da-f:.]+))\]$/i.exec(text) ?? [];
  const name = isIPv4(four) || isIPv6(six) ? text : hostName(text);
  return name === undefined
    ? err('expected a host name such as forms.example.com, or an address as [192.0.2.1]')
    : ok(name);
}

const positive = (text: string): Result<number, string> =>
  /^\d+(\.\d+)?$/.test(text) && Number(text) > 0
    ? ok(Number(text))
    : err('expected a number above 0, such as 10');

const whole =
  ({ least, most = Number.MAX_SAFE_INTEGER, expected }: { least: number; most?: number; expected: string }) =>
  (text: string): Result<number, string> =>
    /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
      ? ok(Number(text))
      : err(`expected ${expected}`);

const limit = whole({ least: 1, expected: 'a whole number of at least 1, such as 1000' });

/** In bytes, as a number or with a unit. */
function bytesLimit(text: string): Result<number, string> {
  const size = parseSize(/^\d+$/.test(text) ? `${text}B` : text);
  return size.ok && size.value >= maxBodyBytes
    ? size
    : err(`expected a size of at least ${maxBodyBytes} bytes, which is one body, such as 64MB`);
}

/** An origin, with or without the slash that browsers show after it. */
function publicUrl(text: string): Result<string, string> {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
    ? ok(url.origin)
    : err('expected an absolute http or https URL without a path, such as https://forms.example.com');
}

/** Addresses and networks; `none` for an empty list. */
function proxies(text: string): Result<readonly Network[], string> {
  if (text.trim().toLowerCase() === 'none') return ok([]);
  const networks: Network[] = [];
  for (const written of text.split(',').map((part) => part.trim())) {
    if (written === '') continue;
    const network = readNetwork(written);
    if (!network)
      return err(`"${written}" is no address and no network; write such as 10.0.0.1 or 10.0.0.0/8`);
    if (!isWhole(network)) {
      const { address, bits } = network;
      const meant = writeNetwork({ address: masked(address, bits), bits });
      return err(
        `"${written}" is one address of ${meant}; write the network, or the address without /${bits}`,
      );
    }
    if (network.bits === 0) {
      return err(
        `"${written}" is everybody, and then anybody could say to be anybody; name the proxies alone`,
      );
    }
    networks.push(network);
  }
  return networks.length > 0
    ? ok(networks)
    : err('no address in it; unset it, or write such as 127.0.0.1,10.0.0.0/8, or none');
}

function proxyHeader(text: string): Result<Settings['proxyHeader'], string> {
  const name = text.trim().toLowerCase();
  return name === 'x-forwarded-for' || name === 'forwarded'
    ? ok(name)
    : err('expected x-forwarded-for or forwarded');
}

function origins(text: string): Result<'*' | ReadonlySet<string>, string> {
  const listed = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (listed.length === 0) return err('no origin in it; unset it, or write one such as https://example.com');
  if (listed.includes('*')) return listed.length === 1 ? ok('*') : err('"*" stands alone or not at all');
  const wrong = listed.find((part) => parseUrl(part)?.origin !== part.toLowerCase());
  return wrong === undefined
    ? ok(new Set(listed.map((part) => part.toLowerCase())))
    : err(`"${wrong}" is not an origin; write only scheme, host and port, such as https://example.com`);
}

/** What stands between commas. */
const textsIn = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
