import type { Mailbox } from '@form-relay/base/address';
import type { Finding } from '@form-relay/base/finding';
import type { Streamed } from '@form-relay/base/streamed';
import type { ReadFile } from '@form-relay/base/text_file';
import type { UploadedFile } from '@form-relay/base/values';
import type { ProbeCall } from './outputs/delivery.ts';

/** Everything outside the process. The core and plug-ins use nothing else, so that tests can control time and failures. */
export interface Services {
  /** Plug-ins must store and count nothing outside these services. `delivering`: outputs deliver, so what protects them must run. */
  readonly isDryRun?: boolean | 'delivering';
  /** Milliseconds since the epoch. */
  now(): number;
  /** The value of a process environment variable, for `{{ env "NAME" }}`. */
  env(name: string): string | undefined;
  uuid(): string;
  /** From 0 up to 1, evenly spread. */
  random(): number;
  sleep(ms: number): Promise<void>;
  /** @internal Repeats the work without keeping the process alive. Returns a function that stops it. */
  repeat(ms: number, work: () => void): () => void;
  /** @internal The object that the platform binds to a name, such as a queue of Cloudflare. Absent where nothing is bound. */
  readonly binding?: ((name: string) => unknown) | undefined;
  /** @internal */ http: HttpClient;
  /** @internal */ smtp: SmtpClient;
  /** @internal */ ses: SesClient;
  /** @internal */ readFile: ReadFile;
  /** @internal */ readObject: ReadObject;
  /** @internal Loaded with the first call. `@form-relay/clients/aws` signs and sends requests with it. */
  aws(): Promise<Aws>;
  log: Log;
  /** @internal Tests of connections, for `relay doctor` alone. */
  readonly probes?: () => Promise<Probes>;
  /** @internal In dry runs: receives what people will read of what an output is about to send. */
  readonly show?: ((shown: ShownContent) => void) | undefined;
}

/** Test the connection of an output with these keys, its own and those of extensions. Deliver nothing. */
export type Probes = Readonly<
  Record<'http' | 'smtp' | 'ses', (keys: object, call: ProbeCall) => Promise<readonly Finding[]>>
>;

export interface ShownContent {
  readonly content?: ReadableContent;
  readonly pdf?: UploadedFile;
}

/** A delivery for people, as plain text. */
export interface ReadableContent {
  readonly title: string;
  readonly entries: readonly { readonly label: string; readonly value: string }[];
  readonly footer: readonly string[];
}

/** A request to another server. Headers are sent as given, one byte per character (Latin-1). */
export interface HttpRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  /** The server that redirected to `url`. Private addresses may then be refused. */
  readonly redirectedFrom?: Redirector | undefined;
  /** The addresses of `url`, once they were checked: no other is connected to, whatever the DNS says a moment later. */
  readonly addresses?: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Replaces an empty `body`: files are streamed, so that they are never in memory twice. */
  readonly streamed?: Streamed | undefined;
  /** For the whole exchange, from connecting to the end of the answer. */
  readonly timeoutMs: number;
  /** Ends the request at once. */
  readonly signal?: AbortSignal | undefined;
}

export interface Redirector {
  readonly url: URL;
  /** The server's IP address, if the runtime tells it: the DNS could name another a moment later. */
  readonly remoteAddress: string | undefined;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The answer's first 64 KB: enough for a captcha verdict, too little to hurt. */
  readonly body: string;
  /** Whether the answer was longer, or ended early. Default: no. */
  readonly isCut?: boolean | undefined;
  /** Whether it came before the whole request was sent; the rest is not sent then. Default: no. */
  readonly isEarly?: boolean;
  /** The server's IP address, only of redirects. */
  readonly remoteAddress?: string | undefined;
}

/** Makes one request and follows no redirect. Rejects with a `ClientError` if there is no final status. */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;

/** A request whose answer is read as bytes, as long as the caller needs it. */
export interface BytesRequest extends HttpRequest {
  readonly method: HttpMethod;
  /** The limit of the answer's body. The rest is cut off. */
  readonly limitBytes: number;
  /** Whether the status is an answer, however little of the body follows. Default: no, the body counts. */
  readonly isStatusEnough?: boolean;
}

export interface BytesAnswer extends Omit<HttpAnswer, 'body' | 'isCut'> {
  readonly body: Buffer;
  /** Whether the body was longer than `limitBytes` or, if the status is enough, did not come to its end. */
  readonly isCut: boolean;
}

/** Makes one request and follows no redirect. Rejects with a `ClientError` when no answer came, or not all of it. */
export type BytesClient = (request: BytesRequest) => Promise<BytesAnswer>;

export interface Mail {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[] | undefined;
  /** In the envelope only. */
  readonly bcc?: readonly Mailbox[] | undefined;
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  readonly text: string;
  /** The mail as HTML, in ASCII with character references. */
  readonly html?: string | undefined;
  readonly attachments?: readonly UploadedFile[] | undefined;
  /** Further headers, each on one line. */
  readonly headers?: ReadonlyMap<string, string> | undefined;
  /** Goes to the visitor, and says so, so that no program answers it (RFC 3834). */
  readonly isAutoReply?: boolean | undefined;
  /** `id@domain`, the same for every try, so that recipients can recognize duplicates (RFC 5322, 3.6.4). */
  readonly messageId: string;
  /** The `Date` header, in milliseconds since the epoch. */
  readonly date: number;
}

export interface SmtpMessage extends Mail {
  readonly host: string;
  readonly port: number;
  /**
   * `required`: never send without TLS. `opportunistic`, the default: use STARTTLS if offered. `implicit`: TLS from the first byte, as on
   * port 465, whatever this says.
   */
  readonly tls?: 'opportunistic' | 'required' | 'implicit' | undefined;
  readonly credentials?: SmtpCredentials | undefined;
  /** For the whole dialogue, from connecting to the server's acceptance. */
  readonly timeoutMs: number;
}

/** A password or an access token; never one in place of the other. */
export type SmtpCredentials =
  | {
      readonly username: string;
      readonly password: string;
      readonly mechanism?: 'PLAIN' | 'LOGIN' | undefined;
    }
  | { readonly username: string; readonly token: string };

/**
 * Resolves when the server accepted the mail for every recipient, maybe with its reply. Rejects with a `ClientError` otherwise, also if
 * it accepted the mail for only some. May resolve with a `MailAnswer`.
 */
export type SmtpClient = (message: SmtpMessage) => Promise<unknown>;

export interface MailAnswer {
  /** Which addresses were left out, in words for the owner that hold none of them. */
  readonly warning?: string | undefined;
}

export interface SesMessage extends Mail {
  readonly timeoutMs: number;
}

/** Resolves when SES accepted the mail, with its answer; rejects with a `ClientError` otherwise. */
export type SesClient = (message: SesMessage) => Promise<unknown>;

/** AWS as this process reaches it. */
export interface Aws {
  readonly account: AwsAccount;
  readonly http: BytesClient;
  readonly now: () => number;
}

/** The process's credentials and region at AWS. All functions throw a `ClientError`, or reject with one. */
export interface AwsAccount {
  credentials(): Promise<AwsCredentials>;
  /** @param preferred Default: from the environment, or else from the profile. */
  region(preferred?: string): Promise<string>;
  /** A service's address from AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL; `undefined` for AWS's own. */
  endpoint(service: AwsServiceId): string | undefined;
}

/** As in names of variables. */
export type AwsServiceId = 'S3' | 'SESV2' | 'SQS' | 'DYNAMODB';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Reads a text and its ETag from S3; `not_modified` if the ETag still matches. Rejects with a `ClientError` that says what to do. */
export type ReadObject = (object: {
  readonly bucket: string;
  readonly key: string;
  /** The bucket's region. Default: the region of the relay's other AWS services. */
  readonly region?: string | undefined;
  readonly etag?: string | undefined;
  readonly timeoutMs: number;
}) => Promise<{ readonly text: string; readonly etag: string | undefined } | 'not_modified'>;

export type LogLevel = 'info' | 'warn' | 'error';

/** Writes one event. Fields never hold a submitted value, a token, a secret or a rendered header. */
export type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;
