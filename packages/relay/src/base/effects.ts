import type { OpenCounter, OpenTexts } from './counts.ts';
import type { UploadedFile } from './files.ts';
import type { OpenStore } from './kept.ts';
import type { LogEvent } from './log_event.ts';
import type { ReadText } from './owners_text.ts';
import type { Streamed } from './streamed.ts';

/** The outside world. Rules reach it only through this interface, so tests can control time and failures. */
export interface Effects {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The value of a process environment variable, for `{{ env "NAME" }}`. */
  env(name: string): string | undefined;
  /** A fresh random UUID. */
  uuid(): string;
  /** From 0 up to 1, evenly spread. */
  random(): number;
  sleep(ms: number): Promise<void>;
  /** Repeats the work without keeping the process alive. Returns a function that stops it. */
  repeat(ms: number, work: () => void): () => void;
  readFile: ReadFile;
  http: HttpClient;
  smtp: SmtpClient;
  ses: SesClient;
  readObject: ReadObject;
  storeFile: StoreFile;
  putObject: PutObject;
  tryFolder: TryFolder;
  sweepDropped: SweepDropped;
  pruneArchive: PruneArchive;
  appendLines: AppendLines;
  removeJournal: RemoveJournal;
  matchPatterns: MatchPatterns;
  scanFile: ScanFile;
  openStore: OpenStore;
  openCounter: OpenCounter;
  openTexts: OpenTexts;
  log: Log;
}

/** A request to another server. Headers are sent as given, one byte per character (Latin-1). */
export interface HttpRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  /** The address that redirected to `url`. Some addresses are refused then. */
  readonly redirectedFrom?: URL | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Replaces an empty `body`: files are streamed, so that they are never in memory twice. */
  readonly streamed?: Streamed | undefined;
  /** For the whole exchange, from connecting to the end of the answer. */
  readonly timeoutMs: number;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH';

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The answer's first 64 KB: enough for a captcha verdict, too little to hurt. */
  readonly body: string;
  /** Whether the answer was longer, or ended early. Default: no. */
  readonly isCut?: boolean;
  /** The content coding that could not be undone. The body is as it came then, and may be readable all the same. */
  readonly unknownCoding?: string | undefined;
  /** Whether it came before the whole request was sent; the rest is not sent then. Default: no. */
  readonly isEarly?: boolean;
}

/** Makes one request and follows no redirect. Rejects with a `ClientError` if there is no final status. */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;

/** A sender or recipient: a bare, valid address (`a@b.example`), or one with a display name. */
export type Mailbox = string | { readonly name: string; readonly address: string };

export interface Mail {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[] | undefined;
  /** In the envelope only. */
  readonly bcc?: readonly Mailbox[] | undefined;
  /** The four above, if all mails of an output share these objects: their headers are then written once. */
  readonly letterhead?: Correspondents | undefined;
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  readonly text: string;
  /** The mail as HTML, in ASCII with character references. */
  readonly html?: string | undefined;
  /** The beginning of `html`, if many mails share it, so that it is encoded once. It ends with a line break. */
  readonly htmlStart?: string | undefined;
  readonly attachments?: readonly UploadedFile[] | undefined;
  /** The owner's own headers, each on one line. */
  readonly headers?: ReadonlyMap<string, string> | undefined;
  /** Goes to the visitor, with an empty envelope sender, so that nothing answers it (RFC 3834). */
  readonly isAutoReply?: boolean | undefined;
  /** `id@domain`, the same for every try, so that recipients can recognize duplicates (RFC 5322, 3.6.4). */
  readonly messageId: string;
  /** Its `Date` header, in milliseconds since the epoch. */
  readonly date: number;
}

export type Correspondents = Pick<Mail, 'from' | 'to' | 'cc' | 'bcc'>;

export interface SmtpMessage extends Mail {
  readonly host: string;
  readonly port: number;
  /** `required`: never send without TLS. `opportunistic`: use STARTTLS if offered. Port 465 is always TLS. */
  readonly tls: 'opportunistic' | 'required';
  readonly credentials?: SmtpCredentials | undefined;
  /** How many mails a connection carries at most. Default: 10 to Exim, 1,000 to others. */
  readonly mailsPerConnection?: number | undefined;
  readonly dkim?: Dkim | undefined;
  /** For the whole dialogue, from connecting to the server's acceptance. */
  readonly timeoutMs: number;
}

/** A password or an access token; never one in place of the other. */
export type SmtpCredentials =
  | {
      readonly username: string;
      readonly password: string;
      /** Default: `PLAIN`. */
      readonly mechanism?: 'PLAIN' | 'LOGIN' | undefined;
    }
  | { readonly username: string; readonly token: string };

/** A DKIM key and where its public half is in the DNS (RFC 6376). */
export interface Dkim {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly key: string;
}

/**
 * Resolves when the server accepted the message for every recipient, with its reply (a `Reply` of
 * transports/smtp/reply.ts; other clients need not give one); rejects with a `ClientError` otherwise. Partial acceptance
 * is a failure, because a recipient did not get it.
 */
export type SmtpClient = (message: SmtpMessage) => Promise<unknown>;

/** Checks that files can be written into a folder; `writes`: by writing one. Rejects with a `ClientError` if not. */
export type TryFolder = (folder: string, how: { readonly writes: boolean }) => Promise<void>;

/**
 * Removes the days of a form that ended by `before` from the submissions that an archive's folder holds of those turned away:
 * once a day, by the first process that asks. Resolves with how many were removed. Rejects with a `ClientError` on failure.
 */
export type SweepDropped = (asked: {
  /** The archive's. */
  readonly folder: string;
  readonly form: string;
  /** In milliseconds since the epoch, as `now`. */
  readonly before: number;
  readonly now: number;
}) => Promise<number>;

/**
 * Removes old submissions from an archive: once a day, by the first process that asks, unless that seems to be a mistake. Rejects
 * with a `ClientError` on failure.
 */
export type PruneArchive = (asked: {
  /** A folder, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** A form's days that ended by then go; milliseconds since the epoch. `undefined`: the form's submissions stay. */
  readonly before: (form: string) => number | undefined;
  readonly now: number;
}) => Promise<PruneEnding>;

export type PruneEnding =
  | { readonly kind: 'removed'; readonly submissions: number }
  /** Another process does it today. */
  | { readonly kind: 'claimed' }
  /** Nothing was removed, and the owner should look. */
  | { readonly kind: 'held'; readonly reason: string };

/** Appends lines to a file in an existing folder: all, or none. Rejects with a `ClientError` on failure. */
export type AppendLines = (lines: {
  readonly folder: string;
  readonly name: string;
  readonly content: Buffer;
}) => Promise<void>;

/**
 * Removes a journal's files of days that ended by `before`, in milliseconds since the epoch, and no others; nothing if that
 * would be all of them. Rejects with a `ClientError` on failure.
 */
export type RemoveJournal = (days: { readonly folder: string; readonly before: number }) => Promise<void>;

/** How Amazon SES reports bounces and complaints. */
export interface Followed {
  /** `undefined`: the sender's default in SES. */
  readonly configurationSet: string | undefined;
  readonly tags: ReadonlyMap<string, string> | undefined;
}

export interface SesMessage extends Mail {
  readonly followed?: Followed | undefined;
  /** For all tries together. */
  readonly timeoutMs: number;
}

/**
 * Resolves when SES accepted the message, with its answer (a `NodeAnswer` of transports/http/node_client.ts; other
 * clients need not give one); rejects with a `ClientError` otherwise.
 */
export type SesClient = (message: SesMessage) => Promise<unknown>;

/**
 * Reads an object from S3: its text and ETag, or `not_modified` if the ETag still matches. Rejects with a `ClientError`
 * that says what to do.
 */
export type ReadObject = (object: {
  readonly bucket: string;
  readonly key: string;
  /** The bucket's region. Default: the region of the relay's other AWS services. */
  readonly region?: string | undefined;
  readonly etag?: string | undefined;
  readonly timeoutMs: number;
}) => Promise<{ readonly text: string; readonly etag: string | undefined } | 'not_modified'>;

/** A document or a submitted file in an archive. */
export interface ArchiveObject {
  /** Relative to the archive's folder, with slashes. */
  readonly path: string;
  readonly type: string;
  readonly content: Streamed;
  /** The hexadecimal digest of the content, if already known. */
  readonly sha256?: string | undefined;
}

/**
 * Writes a file atomically and durably under an existing folder, and creates the folders between. Rejects with a
 * `ClientError` on failure.
 */
export type StoreFile = (file: {
  readonly folder: string;
  readonly object: ArchiveObject;
  readonly timeoutMs: number;
}) => Promise<void>;

/**
 * Puts an object into a bucket, once: an existing object under this key, left by an earlier try, counts as put. Rejects
 * with a `ClientError` that says what to do.
 */
export type PutObject = (put: {
  readonly bucket: string;
  readonly key: string;
  readonly object: ArchiveObject;
  readonly timeoutMs: number;
}) => Promise<void>;

/** Reads a text file, or returns the reason why not, in words for the owner. */
export type ReadFile = (path: string) => Promise<ReadText<TextFile>>;

export interface TextFile {
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/**
 * Matches values against a form's patterns in another thread, in order. After a value that takes too long, or when the
 * form's time is used up, the rest is not tried. Returns a verdict for each. Never rejects.
 */
export type MatchPatterns = (
  form: string,
  tasks: readonly { readonly pattern: string; readonly value: string }[],
) => Promise<readonly PatternVerdict[]>;

export type PatternVerdict = 'match' | 'no_match' | 'too_slow' | 'not_tried';

/** A server's address: a TCP port, or a local socket. */
export type SocketAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Scans a file for viruses. Rejects with a `ClientError` if there is no verdict. */
export type ScanFile = (task: {
  readonly scanner: SocketAddress;
  readonly bytes: Uint8Array;
  /** For the whole conversation. */
  readonly timeoutMs: number;
}) => Promise<ScanVerdict>;

export type ScanVerdict =
  /** `isPretended`: a dry run, which asks no scanner. */
  | { readonly verdict: 'clean'; readonly isPretended?: true }
  /** `signature`: the scanner's name for what it found. */
  | { readonly verdict: 'infected'; readonly signature: string }
  /** The file is larger than the scanner takes. */
  | { readonly verdict: 'too_large' };

export type LogLevel = 'info' | 'warn' | 'error';

/** Writes one event. Fields never hold a submitted value, a token, a secret or a rendered header. */
export type Log = (level: LogLevel, event: LogEvent, fields?: Readonly<Record<string, unknown>>) => void;
