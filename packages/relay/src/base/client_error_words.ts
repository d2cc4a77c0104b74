/**
 * The ways in which talking to another server fails. The code and its parameters carry the meaning; the words are for
 * people alone.
 */
import plain from './client_error_words.json' with { type: 'json' };

/**
 * Each code's words for the owner's log. They name the cause and never hold a submitted value or a secret. Of what the
 * other side sent, they quote codes alone: its texts can repeat an address.
 */
const words = {
  ...plain,
  /** Injected effects bring their own words. */
  other: ({ message }: { message: string }) => message,

  // Connections.
  unresolved: ({ code }: { code: string }) => `could not resolve the host: ${code}`,
  /** ECONNREFUSED of at least one of the host's addresses. */
  nobody_listens: connectFailed,
  /** No route to the host, or the operating system timed out. */
  unreachable: connectFailed,
  /** Any other connection error of the operating system, such as EMFILE. */
  connection_failed: connectFailed,
  /** The timeout of the whole exchange. */
  timed_out: ({ timeoutMs, before }: { timeoutMs: number; before?: Awaited | undefined }) =>
    `no complete answer within ${timeoutMs} ms${before ? `: time was up before ${awaited[before]}` : ''}`,
  closed: ({ before, reply }: { before?: Awaited | undefined; reply?: string }) =>
    `the connection closed${before ? ` before ${awaited[before]}` : ''}${reply ? `: ${reply}` : ''}`,
  tls_failed: ({ code }: { code: string }) => `TLS failed: ${code}`,
  certificate_expired: certificateRefused,
  certificate_of_another_name: certificateRefused,
  certificate_untrusted: certificateRefused,

  // HTTP.
  /** A success that came before the server had the whole request. */
  answered_early: ({ status }: { status: number }) =>
    `the server answered ${status} before it had all of the request`,
  /** Its body decides, and could not be decoded. */
  answer_coded: ({ coding }: Coding) => `the answer ${isCoded(coding)}`,
  too_many_1xx: ({ most }: { most: number }) =>
    `the server sent more than ${most} interim answers (1xx), and none that counts`,
  /** The request violates HTTP, or its body is not as long as announced. It was never sent whole. */
  request_malformed: ({ reason }: { reason: string }) => `the request cannot be sent: ${reason}`,
  http_status: ({ status, isElsewhere, code }: { status: number; isElsewhere: boolean } & ServiceCode) =>
    `the server answered ${status}${inBrackets(code)}${isElsewhere ? ' after a redirect to another origin' : ''}`,
  /** A 301, 307 or 308 that the relay cannot follow: its server did not take the request. */
  redirect_unfollowed: ({ status, why }: { status: number; why: keyof typeof unfollowed }) =>
    `the server answered ${status}, a redirect ${unfollowed[why]}`,
  /** A success status with an answer that reports a failure. */
  service_refused: ({ code }: ServiceCode) =>
    `the service answered that it did not take it${inBrackets(code)}`,
  answer_unexpected: ({ expected, code }: { expected: string } & ServiceCode) =>
    `the answer is not what \`expect\` says: ${expected}${inBrackets(code)}`,

  // OAuth 2.0. Without a token, nothing was sent.
  oauth2_refused: ({ error, detail, kind }: { error: string; detail: string; kind: OAuth2Kind }) =>
    `no access token: the authorization server answered ${error}${detail && ` (${detail})`}${oauth2Meaning(error, kind)}`,
  oauth2_status: ({ status }: { status: number }) =>
    `no access token: the authorization server answered ${status}`,
  /** The authorization server did not answer; the cause has a code of its own. */
  oauth2_unreachable: ({ reason }: { reason: string; cause: string }) =>
    `no access token: the authorization server did not answer: ${reason}`,
  oauth2_redirected: ({ status }: { status: number }) =>
    `no access token: the authorization server answered ${status}; \`token_url\` must be the address that it leads to`,
  oauth2_answer_coded: ({ coding }: Coding) =>
    `no access token: the authorization server's answer ${isCoded(coding)}`,
  oauth2_key_malformed: ({ key }: { key: string }) =>
    `\`${key}\` is no private key in PEM format that is RSA or P-256, without a passphrase`,

  // Virus scanners.
  scan_refused: ({ reply }: { reply: string | undefined }) =>
    `the scanner gave no verdict${reply === undefined ? '' : `: ${reply}`}`,

  // SMTP. A reply is its code and, where it has one, its enhanced code (RFC 3463): `550 5.7.1`.
  /** The server greeted with 4xx: it probably has too many connections. */
  turned_away: ({ reply }: { reply: string }) => `the server refused the connection: ${reply}`,
  smtp_refused: ({ command, reply, among }: SmtpRefused) =>
    `the server refused ${commands[command]}: ${reply}${among ? ` (number ${among.nth} of ${among.of} in \`to\`, \`cc\` and \`bcc\`)` : ''}${meaningOfReply(reply)}`,
  login_refused: ({ reply, host, isToken }: LoginRefused) =>
    `authentication refused: ${reply}${meaningOfLoginReply(reply, host, isToken)}`,
  no_starttls_for_login: ({ isToken }: { isToken: boolean }) =>
    `the ${isToken ? 'access token' : 'password'} is not sent in the clear, and the server offers no STARTTLS (port 465 may do)`,
  no_auth: ({ wanted, offered }: NoAuth) =>
    `${wanted.includes('XOAUTH2') ? '`auth: oauth2`' : 'a username'} is set and the server offers no AUTH ${wanted.join(' and no ')}${offered.length > 0 ? `, only ${offered.join(', ')}` : ''}${insteadOf(offered)}`,
  login_broken: ({ key }: { key: 'username' | 'password' }) =>
    `\`${key}\` holds a control character, which would end it in the midst of the login`,
  dkim_key_malformed: ({ found }: { found: string | undefined }) =>
    `\`dkim.key\` is no private key in PEM format that is RSA of 1024 bits or more, without a passphrase${found === undefined ? '' : `; it is ${found}`}`,
  message_too_large: ({ size, most }: { size: number; most: number }) =>
    `the message is larger than the server takes: ${Math.ceil(size / 1_024)} KB, and at most ${Math.floor(most / 1_024)} KB`,

  // AWS. A name is what AWS calls an error, such as `MessageRejected`.
  aws_profile_without_credentials: ({ profile }: { profile: string }) =>
    `the AWS profile "${profile}" gives no credentials; if it signs in with SSO, run "aws sso login"`,
  aws_credentials_late: ({ timeoutMs }: { timeoutMs: number }) =>
    `the source of the AWS credentials did not answer within ${timeoutMs} ms; the relay asks it again`,
  aws_region_malformed: ({ region }: { region: string }) => `"${region}" is not an AWS region`,
  aws_endpoint_malformed: ({ service }: { service: string }) =>
    `AWS_ENDPOINT_URL_${service} or AWS_ENDPOINT_URL is not the URL of a service, such as https://minio.example.com:9000`,
  ses_status: ({ status, name }: AwsAnswer) => `SES answered ${status}${name && ` (${name})`}`,
  ses_no_configuration_set: ({ set }: { set: string }) =>
    `there is no configuration set "${set}" in this account and region; correct \`configuration_set\`, or make it in SES`,
  ses_too_many_recipients: ({ most, found }: { most: number; found: number }) =>
    `SES takes at most ${most} recipients; \`to\` has ${found}`,
  s3_status: ({ status, name }: AwsAnswer) => `S3 answered ${status}${name && ` (${name})`}`,
  s3_no_bucket: ({ bucket }: { bucket: string }) => `there is no bucket "${bucket}" (NoSuchBucket)`,
  s3_no_object: ({ key }: { key: string }) =>
    `there is no object "${key}" in the bucket (NoSuchKey); CONFIG_KEY says which to read`,
  s3_access_denied: ({ action }: { action: S3Action }) =>
    `access denied (AccessDenied): the role needs ${action}; ${alsoDenied[action]}so may credentials that have expired`,
  s3_other_region: ({
    region,
    variable,
  }: {
    region: string;
    variable: 'AWS_REGION' | 'CONFIG_BUCKET_REGION';
  }) => `the bucket is in another region; set ${variable}${region && `=${region}`}`,
  s3_bucket_unused: ({ bucket, why }: UnusedBucket) =>
    `${bucket} cannot be used as a bucket: ${unusedBuckets[why]}`,
  s3_object_too_large: ({ mostMb }: { mostMb: number }) => `the object is over ${mostMb} MB`,
  s3_object_not_text: ({ reason }: { reason: string }) => reason,
  s3_key_unspeakable: ({ key }: { key: string }) =>
    `CONFIG_KEY is "${key}": a URL cannot hold "." or ".." between slashes`,

  secret_missing: ({ arn, name }: { arn: string; name: string }) => `there is no ${arn} (${name})`,
  secret_access_denied: ({ action, arn }: { action: string; arn: string }) =>
    `access denied (AccessDeniedException): the role needs ${action} on ${arn}, and kms:Decrypt where it has a key of its own`,
  secret_status: ({ service, status, name }: AwsAnswer & { service: 'ssm' | 'secretsmanager' }) =>
    `${service === 'ssm' ? 'SSM' : 'Secrets Manager'} answered ${status}${name && ` (${name})`}`,
  secret_without_text: ({ arn }: { arn: string }) => `${arn} holds no text`,
  secret_without_key: ({ arn, key }: { arn: string; key: string }) =>
    `${arn} is no JSON object with text under "${key}", which stands behind the #`,
  binding_missing: ({ name, kind }: { name: string; kind: string }) =>
    `nothing that is a ${kind} is bound to "${name}"; only Cloudflare Workers have such bindings, which wrangler.jsonc lists (docs/deploy/cloudflare.md)`,
  queue_refused: ({ name }: { name: string }) => `the queue bound to "${name}" did not take the message`,
  durable_object_failed: ({ name }: { name: string }) =>
    `the Durable Object bound to "${name}" did not answer`,
  sqs_status: ({ status, name }: AwsAnswer) => `SQS answered ${status}${name && ` (${name})`}`,
  sqs_no_queue: ({ queue }: Queue) =>
    `there is no queue "${queue}" in this region and account (QueueDoesNotExist); \`relay keep setup\` makes it`,
  sqs_access_denied: ({ queue, action }: Queue & { action: string }) =>
    `access denied (AccessDenied): the role needs sqs:${action} on the queue "${queue}"; so may credentials that have expired, and a key of KMS`,
  sqs_credentials_refused: ({ name }: { name: string }) =>
    `SQS does not take the credentials (${name}); check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and this machine's clock`,
  sqs_message_refused: ({ name }: { name: string }) => `SQS does not take the message (${name})`,
  sqs_too_large: ({ size, most }: { size: number; most: number }) =>
    `it is too large for the queue: ${Math.ceil(size / 1_024)} KB, and a message may have ${Math.floor(most / 1_024)}; with \`files_in\`, what is large goes into a bucket`,
  sqs_without_dead_letter_queue: ({ queue }: Queue) =>
    `the queue "${queue}" has no dead-letter queue, where what waits for its owner would lie; \`relay keep setup\` makes one`,

  // Archives. Paths come from the config.
  folder_missing: ({ path }: Path) =>
    `there is no folder ${path}; make it, or mount what should be there: the relay never makes it`,
  folder_is_none: ({ path }: Path) => `${path} is no folder`,
  folder_denied: ({ path }: Path) => `this user may not write into ${path}`,
  folder_read_only: ({ path }: Path) => `${path} is on a file system that is mounted read-only`,
  folder_full: ({ path }: Path) => `there is no room left where ${path} is`,
  folder_with_link: ({ path }: Path) =>
    `a folder inside ${path} is a link or a file, which the relay neither follows nor replaces`,
  folder_failed: ({ path, code }: Path & { code: string }) => `${path} cannot be written into (${code})`,
  seal_file_unread: ({ path, reason }: Path & { reason: string }) =>
    `${path}, which \`seal_to_file\` names, cannot be read: ${reason}`,
  seal_file_empty: ({ path }: Path) =>
    `${path}, which \`seal_to_file\` names, holds no key; write one such as age1… on a line`,
  seal_file_malformed: ({ path, line, problem }: Path & { line: number; problem: RecipientProblem }) =>
    `line ${line} of ${path}, which \`seal_to_file\` names, ${recipientProblems[problem]}`,

  // Mailboxes for mails that came back.

  // Stores of kept deliveries.

  /** `at`: the file, or the key where a store has no files. */
  counts_damaged: ({ at }: { at: string }) =>
    `the count ${at} is damaged, so that nobody knows what is left (docs/places.md)`,
  idempotency_full: ({ most }: { most: number }) =>
    `more was sent under Idempotency-Keys within a day than ${Math.floor(most / 1_000)} KB hold; lower keys_limit (docs/keys.md)`,
  counts_denied: ({ at }: { at: string }) =>
    `this user may not read or write ${at}, which another user made; give it to the user as whom the relay runs`,
  counts_too_many: ({ bytes }: { bytes: number }) =>
    `there is more to count than ${Math.floor(bytes / 1_000)} KB hold`,

  // DynamoDB.
  dynamodb_status: ({ status, name }: AwsAnswer) => `DynamoDB answered ${status}${name && ` (${name})`}`,
  dynamodb_no_table: ({ table }: { table: string }) =>
    `there is no table "${table}" in this region and account (ResourceNotFoundException); make one whose partition key is \`id\`, a string`,
  dynamodb_access_denied: ({ table, action }: { table: string; action: string }) =>
    `access denied (AccessDeniedException): the role needs dynamodb:${action} on the table "${table}"`,

  // NATS JetStream.
  nats_file_unreadable: ({ name, path, reason }: Path & { name: string; reason: string }) =>
    `${name} names ${path}, which cannot be read: ${reason}`,
  nats_credentials_malformed: ({ name }: { name: string }) =>
    `the file that ${name} names holds no credentials for NATS`,
  nats_not_allowed: ({ what }: { what: string }) => `the NATS account may not ${what}`,
  /** `name`: the place, which need not be the one of `keep`. */
  nats_without_jetstream: ({ stream, name }: Stream & { name: string }) =>
    `no stream takes what is kept: JetStream is not enabled, has no leader now, or has no stream "${stream}", which \`relay keep setup --in ${name}\` makes`,
  nats_no_stream: ({ stream, name }: Stream & { name: string }) =>
    `there is no stream "${stream}"; \`relay keep setup --in ${name}\` makes it`,
  nats_no_consumer: ({ stream }: Stream) =>
    `the stream "${stream}" gives nothing out: it has no consumer "due", which \`relay keep setup\` makes, or no leader now`,
  nats_stream_of_another_shape: ({ stream, wrong }: Stream & { wrong: string }) =>
    `the stream "${stream}" cannot be used as it is: ${wrong}`,
  nats_full: ({ stream }: Stream) =>
    `the stream "${stream}" is full, or its account is (max_file), or the server's disk`,
  nats_too_large: ({ stream }: Stream) =>
    `the stream "${stream}" takes no message of this size (max_msg_size)`,
  /** JetStream's error number. */
  nats_refused: ({ code }: { code: number }) => `JetStream refused it (${code})`,

  // Mistakes in what an output or a captcha was given.
  address_unset: ({ name }: { name: string }) => `${name}, which \`url_env\` names, is not set`,
  address_malformed: ({ name }: { name: string }) =>
    `${name}, which \`url_env\` names, holds no URL that starts with https:// or http://, without a user name`,
  token_malformed: ({ key }: { key: string }) =>
    `\`${key}\` holds no token; is it the right environment variable, and all on one line?`,
  address_without_topic: ({ name }: { name: string }) => `\`${name}\` ends with no topic`,
  chat_moved: ({ to }: { to: number }) =>
    `the group became a supergroup, which has another id; write \`chat_id: "${to}"\``,
  rendered_empty: ({ key }: { key: string }) => `\`${key}\` rendered empty; is its environment variable set?`,
  signing_secret_malformed: ({ name }: { name: string }) =>
    `${name} holds no signing secret, which is whsec_ and the base64 of 24 to 64 bytes`,
  signing_secret_of_wrong_size: ({ name, bytes }: { name: string; bytes: number }) =>
    `${name} holds a signing secret of ${bytes} bytes; it needs 24 to 64`,
  recipients_empty: ({ key }: { key: string }) =>
    `a part of \`${key}\` rendered empty; is its environment variable set?`,
  recipients_malformed: ({ key }: { key: string }) =>
    `a part of \`${key}\` did not render to addresses like name@example.com`,
  captcha_verdict_coded: ({ coding }: Coding) => `the provider's answer ${isCoded(coding)}`,
  captcha_status: ({ status }: { status: number }) => `the provider answered ${status}`,

  // Services that signals query.
  service_key_unset: ({ name }: { name: string }) => `${name} is not set`,
  service_key_malformed: ({ name }: { name: string }) => `${name} holds no key of this service`,
  service_status: ({ status }: { status: number }) => `the service answered ${status}`,
  service_busy: ({ most }: { most: number }) => `it is asked about ${most} others right now`,

  // The DNS.
  dns_failed: ({ code }: { code: string }) => `the DNS does not answer (${code})`,
};

export interface ServiceCode {
  /** The service's own error code, if it gave one. */
  code: string | undefined;
}

const inBrackets = (code: string | undefined) => (code === undefined ? '' : ` (${code})`);

/** The grants that `transports/oauth2/token_request.ts` supports. */
type OAuth2Kind = 'client_credentials' | 'refresh_token' | 'jwt_bearer' | 'service_account';

/** RFC 6749, 5.2. */
const oauth2Meanings: Readonly<Record<string, string>> = {
  invalid_client: 'it does not know `client_id`, or `client_secret` is wrong or has ended',
  invalid_scope: 'it does not know `scope`, or does not give it to this client',
  unauthorized_client: 'this client may not get tokens in this way',
  unsupported_grant_type: 'it gives no tokens in this way; is `token_url` right?',
  invalid_request: 'it misses something: `scope`, or one of `params`',
};

function oauth2Meaning(error: string, kind: OAuth2Kind): string {
  if (error !== 'invalid_grant')
    return Object.hasOwn(oauth2Meanings, error) ? `: ${oauth2Meanings[error]}` : '';
  if (kind === 'client_credentials') return '';
  return kind === 'refresh_token'
    ? ': the refresh token has ended; somebody must give consent again'
    : ": it does not take the key, or whom it is for; or this machine's clock is wrong";
}

const unfollowed = {
  nowhere: 'that names no address',
  away: 'from https to http, or to no web address; nothing was sent there',
  circle: 'back to an address that answered with one before',
  too_often: 'after 3 others',
};

interface Coding {
  /** Its `Content-Encoding`. */
  coding: string;
}

const isCoded = (coding: string) =>
  `has the content coding ${coding}, which the relay neither asked for nor can undo`;

interface Path {
  path: string;
}

/** Why `transports/archive/recipient.ts` rejects a public key. */
export type RecipientProblem = keyof typeof recipientProblems;

const recipientProblems = {
  identity_as_recipient:
    'is a private key, which opens what is sealed: keep it away from the relay, and write the public one, age1…',
  recipient_of_other_kind: 'is a key of another kind; the relay seals for those of age-keygen, age1…',
  recipient_malformed: 'is no key: a letter is wrong, too much or missing; copy it again',
  not_a_recipient: 'is no key such as age1…',
};

interface Stream {
  stream: string;
}

/** The relay's actions on buckets, by their IAM names. */
export type S3Action = keyof typeof alsoDenied;

/** Answers that look like a missing permission. */
const alsoDenied = {
  's3:GetObject': 'without s3:ListBucket a missing key looks the same, and ',
  's3:PutObject': 'a bucket that wants another encryption looks the same, and ',
  's3:DeleteObject': 'objects that are locked look the same, and ',
  's3:ListBucket': '',
};

interface Queue {
  /** The bucket's name. */
  queue: string;
}

/** Values in a bucket's place that `transports/aws/s3_request.ts` cannot use. */
export interface UnusedBucket {
  bucket: string;
  why: keyof typeof unusedBuckets;
}

const unusedBuckets = {
  arn: 'ARNs of access points were removed in 0.2.0; write the name of the bucket, or the alias of the access point',
  reserved: 'the relay does not speak to directory buckets (S3 Express One Zone) and S3 on Outposts',
};

interface AwsAnswer {
  status: number;
  /** Empty if AWS gave none. */
  name: string;
}

/** The next thing expected when the connection closed. */
export type Awaited = keyof typeof awaited;

const awaited = {
  answer: 'an answer came',
  end_of_answer: 'the answer was complete',
  acceptance: 'the server accepted the message',
  greeting: 'the server greeted',
  ehlo: 'the server answered EHLO',
  tls: 'TLS began',
  login: 'the server answered to the login',
};

/** CONN is the greeting. */
export type SmtpCommand = keyof typeof commands;

const commands = {
  CONN: 'the connection',
  EHLO: 'EHLO',
  HELO: 'HELO',
  STARTTLS: 'STARTTLS',
  MAIL: 'the sender',
  RCPT: 'a recipient',
  DATA: 'the message',
};

/** The system call and its error; for a host with several addresses, each distinct one. */
function connectFailed({ call, codes }: { call: string; codes: readonly string[] }): string {
  return `${call} ${codes.join(', ')}`;
}

function certificateRefused({ code }: { code: string }): string {
  return `certificate not trusted: ${code}`;
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

export type ClientErrorCode = keyof typeof words;

export type Params<C extends ClientErrorCode> = (typeof words)[C] extends (params: infer P) => string
  ? P & object
  : Readonly<Record<never, never>>;

/** @param params The parameters of the code's words. */
export function say(code: ClientErrorCode, params: object): string {
  const text = words[code] as string | ((params: object) => string);
  return typeof text === 'string' ? text : text(params);
}
