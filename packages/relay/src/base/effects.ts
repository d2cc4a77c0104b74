import type { UploadedFile } from './files.ts';
import type { OpenStore } from './kept.ts';
import type { LogEvent } from './log_event.ts';
import type { Result } from './result.ts';
import type { Streamed } from './streamed.ts';

/** The outside world. Everything that a rule needs from it enters here, so tests can stage time and failure. */
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
  /** Does it again and again, without keeping the process alive for it. Gives what ends that. */
  repeat(ms: number, work: () => void): () => void;
  readFile: ReadFile;
  http: HttpClient;
  smtp: SmtpClient;
  ses: SesClient;
  readObject: ReadObject;
  storeFile: StoreFile;
  putObject: PutObject;
  tryFolder: TryFolder;
  matchPatterns: MatchPatterns;
  scanFile: ScanFile;
  resolve4: Resolve4;
  openStore: OpenStore;
  log: Log;
}

/** One request to somebody else's server. Headers are sent as given, one byte a character (Latin-1). */
export interface HttpRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What is sent instead of `body`, which is empty then: files, which nobody holds twice. */
  readonly streamed?: Streamed | undefined;
  /** The whole exchange, from connecting to the end of the answer. */
  readonly timeoutMs: number;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH';

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The answer's first 64 KB: enough for a captcha verdict, too little to hurt. */
  readonly body: string;
  /** Whether the answer's body was longer, or did not come to its end. Default: no. */
  readonly isCut?: boolean;
  /** Whether it came before all of the request was sent, which nobody sends to its end then. Default: no. */
  readonly isEarly?: boolean;
}

/** Asks once and follows no redirect. Rejects with a `ClientError` when no final status came (D42). */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;

/** Who a mail is from or for: a bare address (`a@b.example`), already checked, or one with a name before it. */
export type Mailbox = string | { readonly name: string; readonly address: string };

/** One mail, whoever carries it. */
export interface Mail {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[] | undefined;
  /** In the envelope alone. */
  readonly bcc?: readonly Mailbox[] | undefined;
  /** The four above once more, if they are the same objects in each mail of an output: what is written of them once. */
  readonly letterhead?: Correspondents | undefined;
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  readonly text: string;
  /** The same for people whose program shows HTML: ASCII, everything else as character references. */
  readonly html?: string | undefined;
  /** The beginning of `html`, if many mails have the same, so that it is encoded once. It ends with a line break. */
  readonly htmlStart?: string | undefined;
  /** What comes with it, as files. */
  readonly attachments?: readonly UploadedFile[] | undefined;
  /** The owner's own, each on one line. */
  readonly headers?: ReadonlyMap<string, string> | undefined;
  /** It goes to whoever filled in the form: with no envelope sender, so that nothing answers it (RFC 3834). */
  readonly isAutoReply?: boolean | undefined;
  /** `id@domain`: the same at every try, so that recipients can tell a message that came twice (RFC 5322, 3.6.4). */
  readonly messageId: string;
  /** Its `Date` header, in milliseconds since the epoch. */
  readonly date: number;
}

/** From whom a mail is, and for whom. */
export type Correspondents = Pick<Mail, 'from' | 'to' | 'cc' | 'bcc'>;

/** One mail for one SMTP server. */
export interface SmtpMessage extends Mail {
  readonly host: string;
  readonly port: number;
  /** `required`: never speak without TLS. `opportunistic`: STARTTLS when the server offers it. Port 465 is always TLS. */
  readonly tls: 'opportunistic' | 'required';
  readonly credentials?: SmtpCredentials | undefined;
  /** What the mail is signed with. */
  readonly dkim?: Dkim | undefined;
  /** The whole dialogue, from connecting to the server's acceptance. */
  readonly timeoutMs: number;
}

/** A password or an access token: never one in the place of the other. */
export type SmtpCredentials =
  | {
      readonly username: string;
      readonly password: string;
      /** Default: `PLAIN`. */
      readonly mechanism?: 'PLAIN' | 'LOGIN' | undefined;
    }
  | { readonly username: string; readonly token: string };

/** A key for DKIM, and where its public half stands in the DNS (RFC 6376). */
export interface Dkim {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly key: string;
}

/**
 * Resolves when the server took the message for every recipient; rejects with a
 * `ClientError` otherwise. Partial acceptance is a failure: somebody did not get it.
 */
export type SmtpClient = (message: SmtpMessage) => Promise<void>;

/** Whether files can be written into a folder; `writes`: tries it with a file. Rejects with a `ClientError` when not. */
export type TryFolder = (folder: string, how: { readonly writes: boolean }) => Promise<void>;

/** What Amazon SES does with what it learns of a mail: whether it bounced, or was complained of. */
export interface Followed {
  /** Its name. `undefined`: what SES itself has for the sender. */
  readonly configurationSet: string | undefined;
  readonly tags: ReadonlyMap<string, string> | undefined;
}

/** One mail through Amazon SES. */
export interface SesMessage extends Mail {
  readonly followed?: Followed | undefined;
  /** All tries together. */
  readonly timeoutMs: number;
}

/** Resolves when SES accepted the message; rejects with a `ClientError` otherwise. */
export type SesClient = (message: SesMessage) => Promise<void>;

/**
 * Reads an object from S3: its text and ETag, or `not_modified` when it still has the ETag given. Rejects with a
 * `ClientError` that says what to do.
 */
export type ReadObject = (object: {
  readonly bucket: string;
  readonly key: string;
  /** Where the bucket is. Default: where the relay's other AWS services are. */
  readonly region?: string | undefined;
  readonly etag?: string | undefined;
  readonly timeoutMs: number;
}) => Promise<{ readonly text: string; readonly etag: string | undefined } | 'not_modified'>;

/** What an archive holds: a document, or a file of a submission. */
export interface ArchiveObject {
  /** From the archive's own folder, with slashes. */
  readonly path: string;
  /** Its media type. */
  readonly type: string;
  readonly content: Streamed;
  /** Of its content, in hexadecimal, where it is known already. */
  readonly sha256?: string | undefined;
}

/**
 * Writes a file under a folder that is there, and makes the folders between: nobody ever sees half of it, and it is on
 * the disk when this resolves. Rejects with a `ClientError` when it is not.
 */
export type StoreFile = (file: {
  readonly folder: string;
  readonly object: ArchiveObject;
  readonly timeoutMs: number;
}) => Promise<void>;

/**
 * Puts an object into a bucket, once. One that is there already under this key stays, and counts as put: it is what an
 * earlier try has put there. Rejects with a `ClientError` that says what to do.
 */
export type PutObject = (put: {
  readonly bucket: string;
  readonly key: string;
  readonly object: ArchiveObject;
  readonly timeoutMs: number;
}) => Promise<void>;

/** Reads a text file, or says why it cannot, in words for the owner. */
export type ReadFile = (path: string) => Promise<Result<TextFile, string>>;

export interface TextFile {
  readonly text: string;
  /** When it was last written, in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/**
 * Matches values against the patterns of a form in another thread, one after the other. What follows a value that
 * takes too long is not tried, and nothing is once the form's time is used up. A verdict for each. Never rejects.
 */
export type MatchPatterns = (
  form: string,
  tasks: readonly { readonly pattern: string; readonly value: string }[],
) => Promise<readonly PatternVerdict[]>;

export type PatternVerdict = 'match' | 'no_match' | 'too_slow' | 'not_tried';

/** Where a server listens: a TCP port, or a socket of this machine. */
export type SocketAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Has a virus scanner look at a file. Rejects with a `ClientError` where there is no verdict. */
export type ScanFile = (task: {
  readonly scanner: SocketAddress;
  readonly bytes: Uint8Array;
  /** The whole conversation. */
  readonly timeoutMs: number;
}) => Promise<ScanVerdict>;

export type ScanVerdict =
  /** `isPretended`: a dry run asks nobody. */
  | { readonly verdict: 'clean'; readonly isPretended?: true }
  /** `signature`: the scanner's name for what it found. */
  | { readonly verdict: 'infected'; readonly signature: string }
  /** The scanner takes no file of this size. */
  | { readonly verdict: 'too_large' };

/**
 * The IPv4 addresses of a name in the DNS; none where it has none. Rejects with a `ClientError` when nobody answers within
 * `timeoutMs`.
 */
export type Resolve4 = (name: string, timeoutMs: number) => Promise<readonly string[]>;

export type LogLevel = 'info' | 'warn' | 'error';

/** Writes one event. Fields never hold a submitted value, a token, a secret or a rendered header (D22). */
export type Log = (level: LogLevel, event: LogEvent, fields?: Readonly<Record<string, unknown>>) => void;
