/**
 * The ways in which talking to another server fails. The code and its parameters carry the meaning; the words are for
 * people alone. They name the cause and never hold a submitted value or a secret. Of what the other side sent, they quote
 * codes alone: its texts can repeat an address.
 */
import phrases from './client_error_phrases.json' with { type: 'json' };
import table from './client_error_words.json' with { type: 'json' };
import { type CodeIn, fill, type ParamsIn, textsOf } from './fill.ts';

const texts = textsOf(table);

/** Words that take more than a text. */
const composed = {
  /** The timeout of the whole exchange. */
  timed_out: ({ timeoutMs, before }: { timeoutMs: number; before?: Awaited | undefined }) =>
    `no complete answer within ${timeoutMs} ms${before ? `: time was up before ${phrases.awaited[before]}` : ''}`,
  closed: ({ before, reply }: { before?: Awaited | undefined; reply?: string }) =>
    `the connection closed${before ? ` before ${phrases.awaited[before]}` : ''}${reply ? `: ${reply}` : ''}`,
  http_status: ({ status, isElsewhere, code }: { status: number; isElsewhere: boolean } & ServiceCode) =>
    `the server answered ${status}${inBrackets(code)}${isElsewhere ? ' after a redirect to another origin' : ''}`,
  service_refused: ({ code }: ServiceCode) =>
    `the service answered that it did not take it${inBrackets(code)}`,
  answer_unexpected: ({ expected, code }: { expected: string } & ServiceCode) =>
    `the answer is not what \`expect\` says: ${expected}${inBrackets(code)}`,
  oauth2_refused: ({ error, detail, kind }: { error: string; detail: string; kind: OAuth2Kind }) =>
    `no access token: the authorization server answered ${error}${detail && ` (${detail})`}${oauth2Meaning(error, kind)}`,
  scan_refused: ({ reply }: { reply: string | undefined }) =>
    `the scanner gave no verdict${reply === undefined ? '' : `: ${reply}`}`,
  smtp_refused: ({ command, reply, among }: SmtpRefused) =>
    `the server refused ${phrases.commands[command]}: ${reply}${among ? ` (number ${among.nth} of ${among.of} in \`to\`, \`cc\` and \`bcc\`)` : ''}${meaningOfReply(reply)}`,
  login_refused: ({ reply, host, isToken }: LoginRefused) =>
    `authentication refused: ${reply}${meaningOfLoginReply(reply, host, isToken)}`,
  no_starttls_for_login: ({ isToken }: { isToken: boolean }) =>
    `the ${isToken ? 'access token' : 'password'} is not sent in the clear, and the server offers no STARTTLS (port 465 may do)`,
  no_auth: ({ wanted, offered }: NoAuth) =>
    `${wanted.includes('XOAUTH2') ? '`auth: oauth2`' : 'a username'} is set and the server offers no AUTH ${wanted.join(' and no ')}${offered.length > 0 ? `, only ${offered.join(', ')}` : ''}${insteadOf(offered)}`,
  dkim_key_malformed: ({ found }: { found: string | undefined }) =>
    `\`dkim.key\` is no private key in PEM format that is RSA of 1024 bits or more, without a passphrase${found === undefined ? '' : `; it is ${found}`}`,
  s3_other_region: ({ region, variable }: { region: string; variable: string }) =>
    `the bucket is in another region; set ${variable}${region && `=${region}`}`,
  /** A 301, 307 or 308 that the relay cannot follow: its server did not take the request. */
  redirect_unfollowed: ({ status, why }: { status: number; why: keyof typeof phrases.unfollowed }) =>
    `the server answered ${status}, a redirect ${phrases.unfollowed[why]}`,
  s3_access_denied: ({ action }: { action: S3Action }) =>
    `access denied (AccessDenied): the role needs ${action}; ${phrases.also_denied[action]}so may credentials that have expired`,
  s3_bucket_unused: ({ bucket, why }: UnusedBucket) =>
    `${bucket} cannot be used as a bucket: ${phrases.unused_buckets[why]}`,
  secret_status: ({ service, status, name }: SecretStatus) =>
    `${service === 'ssm' ? 'SSM' : 'Secrets Manager'} answered ${status}${name && ` (${name})`}`,
};

interface SecretStatus {
  service: 'ssm' | 'secretsmanager';
  status: number;
  /** Empty if AWS gave none. */
  name: string;
}

export interface ServiceCode {
  /** The service's own error code, if it gave one. */
  code: string | undefined;
}

const inBrackets = (code: string | undefined) => (code ? ` (${code})` : '');

/** Why `transports/archive/recipient.ts` rejects a public key. */
export type RecipientProblem = keyof typeof phrases.recipient_problems;

/** The relay's actions on buckets, by their IAM names. */
export type S3Action = keyof typeof phrases.also_denied;

/** Values in a bucket's place that `transports/aws/s3_request.ts` cannot use. */
export interface UnusedBucket {
  bucket: string;
  why: keyof typeof phrases.unused_buckets;
}

/** The next thing expected when the connection closed. */
export type Awaited = keyof typeof phrases.awaited;

/** CONN is the greeting. */
export type SmtpCommand = keyof typeof phrases.commands;

/** The grants that `transports/oauth2/token_request.ts` supports. */
type OAuth2Kind = 'client_credentials' | 'refresh_token' | 'jwt_bearer' | 'service_account';

const meanings: Readonly<Record<string, string>> = phrases.oauth2_meanings;

/** RFC 6749, 5.2. */
function oauth2Meaning(error: string, kind: OAuth2Kind): string {
  if (error !== 'invalid_grant') return Object.hasOwn(meanings, error) ? `: ${meanings[error]}` : '';
  if (kind === 'client_credentials') return '';
  return kind === 'refresh_token'
    ? ': the refresh token has ended; somebody must give consent again'
    : ": it does not take the key, or whom it is for; or this machine's clock is wrong";
}

interface SmtpRefused {
  command: SmtpCommand;
  reply: string;
  /** The recipient that was refused, if there are several. */
  among?: { nth: number; of: number } | undefined;
}

/** The meaning of a server's reply to a mail. Uses only codes with a single meaning. */
function meaningOfReply(reply: string): string {
  // RFC 4954, 6; Microsoft uses a code of its own.
  if (/^530\b/.test(reply) || reply.endsWith(' 5.7.57')) return ': it wants a login first; set `username`';
  // Microsoft's code.
  return / 5\.(7\.60|2\.252)$/.test(reply) ? ': this login may not send as `from`' : '';
}

/** The ways to sign in to SMTP servers. */
export type SmtpMechanism = 'PLAIN' | 'LOGIN' | 'XOAUTH2' | 'OAUTHBEARER';

interface NoAuth {
  wanted: readonly SmtpMechanism[];
  /** Names of mechanisms, as the server has them. */
  offered: readonly string[];
}

/** Advice on how to sign in with the mechanisms that the server offers. */
function insteadOf(offered: readonly string[]): string {
  const ways = [
    offered.includes('PLAIN') && '`auth: plain`',
    offered.includes('LOGIN') && !offered.includes('PLAIN') && '`auth: login`',
    (offered.includes('XOAUTH2') || offered.includes('OAUTHBEARER')) && '`auth: oauth2`',
  ].filter((way) => way !== false);
  return ways.length > 0 ? `; use ${ways.join(' or ')}` : '';
}

interface LoginRefused {
  reply: string;
  /** The server that refused it. */
  host: string;
  /** Whether the relay presented an access token instead of a password. */
  isToken: boolean;
}

/** The meaning of a server's reply to a login. Some codes have a meaning with one provider only. */
function meaningOfLoginReply(reply: string, host: string, isToken: boolean): string {
  if (reply.startsWith('4')) return '';
  // Microsoft's codes: the first for passwords, the other for several settings.
  if (!isToken && / 5\.7\.(30|139)$/.test(reply))
    return ': Microsoft takes no password for this mailbox; use `auth: oauth2`';
  if (reply.endsWith(' 5.7.139'))
    return ': Microsoft has SMTP AUTH turned off for the mailbox or for all of them';
  if (isToken) return ': it does not take the access token for this `username`';
  const isGoogle = /(^|\.)(gmail|googlemail)\.com$/i.test(host);
  if (isGoogle && / 5\.7\.(8|9|14)$/.test(reply)) {
    return ': Google takes no password of an account, but an app password; or use `auth: oauth2`';
  }
  // RFC 4954, 6.
  return reply.endsWith(' 5.7.9') ? ': it takes no password in this way' : '';
}

/** The parameters that are not text. */
interface Types {
  readonly bytes: number;
  readonly codes: readonly string[];
  readonly found: number;
  readonly line: number;
  readonly most: number;
  readonly mostMb: number;
  readonly number: number;
  readonly problem: RecipientProblem;
  readonly size: number;
  readonly status: number;
  readonly timeoutMs: number;
  readonly to: number;
}

const forms = {
  brackets: inBrackets,
  list: (all: readonly string[]) => all.join(', '),
  kb: (bytes: number) => Math.ceil(bytes / 1_024),
  whole_kb: (bytes: number) => Math.floor(bytes / 1_024),
  problem: (problem: RecipientProblem) => phrases.recipient_problems[problem],
};

type ParamsByCode = { [Key in keyof typeof table as CodeIn<Key>]: ParamsIn<Key, Types> } & {
  [Code in keyof typeof composed]: Parameters<(typeof composed)[Code]>[0];
};

export type ClientErrorCode = keyof ParamsByCode;

export type Params<C extends ClientErrorCode> = ParamsByCode[C];

/** @param params The parameters of the code's words. */
export function say(code: ClientErrorCode, params: object): string {
  const text = texts.get(code);
  if (text !== undefined) return fill(text, params, forms);
  return (composed[code as keyof typeof composed] as (params: object) => string)(params);
}
