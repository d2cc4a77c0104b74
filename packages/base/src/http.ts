/** Requests to other servers, and AWS, as the services of a process offer them. */
import type { Streamed } from './streamed.ts';

/** A request to another server. Headers are sent as given, one byte per character (Latin-1). */
export interface HttpRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  /** The server that redirected to `url`. Private addresses may then be refused. */
  readonly redirectedFrom?: Redirector | undefined;
  /** Refuses an address of this machine, of a private network or of a link: somebody else chose the host. */
  readonly isPublicOnly?: true | undefined;
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
