/** The interfaces for requests to other servers and to AWS. */
import type { Streamed } from './streamed.ts';

/** A request to another server. Headers are sent as given, one byte per character (Latin-1). */
export interface HttpRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  /** The server that redirected to `url`. Private addresses may then be refused. */
  readonly redirectedFrom?: Redirector | undefined;
  /** Refuses loopback, private and link-local addresses, because someone else chose the host. */
  readonly isPublicOnly?: true | undefined;
  /** The checked addresses of `url`. The client connects to no other address, even if the DNS answer changes a moment later. */
  readonly addresses?: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Replaces an empty `body`. Files are streamed, so that they are not in memory twice. */
  readonly streamed?: Streamed | undefined;
  /** The timeout of the whole exchange, from connecting to the end of the response. */
  readonly timeoutMs: number;
  /** Ends the request at once. */
  readonly signal?: AbortSignal | undefined;
}

export interface Redirector {
  readonly url: URL;
  /** The server's IP address, if the runtime reveals it: the DNS could return another one a moment later. */
  readonly remoteAddress: string | undefined;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The response's first 64 KB: enough for a captcha's verdict, too little to do harm. */
  readonly body: string;
  /** Whether the response was longer, or ended early. Default: no. */
  readonly isCut?: boolean | undefined;
  /** Whether the response came before the whole request was sent; the rest is then not sent. Default: no. */
  readonly isEarly?: boolean;
  /** The server's IP address, for redirects only. */
  readonly remoteAddress?: string | undefined;
}

/** Makes one request and does not follow redirects. Rejects with a `ClientError` if there is no final status. */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;

/** A request whose response is read as bytes, for as long as the caller needs them. */
export interface BytesRequest extends HttpRequest {
  readonly method: HttpMethod;
  /** The size limit of the response's body. The rest is cut off. */
  readonly limitBytes: number;
  /** Whether the status suffices, however little of the body follows. Default: no, the body is needed. */
  readonly isStatusEnough?: boolean;
}

export interface BytesAnswer extends Omit<HttpAnswer, 'body' | 'isCut'> {
  readonly body: Buffer;
  /** Whether the body was longer than `limitBytes` or, if the status suffices, was not read to the end. */
  readonly isCut: boolean;
}

/** Makes one request and does not follow redirects. Rejects with a `ClientError` if there is no complete response. */
export type BytesClient = (request: BytesRequest) => Promise<BytesAnswer>;

/** Access to AWS for this process. */
export interface Aws {
  readonly account: AwsAccount;
  readonly http: BytesClient;
  readonly now: () => number;
}

/** The process's credentials and region at AWS. All functions throw or reject with a `ClientError`. */
export interface AwsAccount {
  credentials(): Promise<AwsCredentials>;
  /** @param preferred Default: from the environment, or else from the profile. */
  region(preferred?: string): Promise<string>;
  /** A service's address from AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL; `undefined` for AWS's own. */
  endpoint(service: AwsServiceId): string | undefined;
}

/** The service's name in environment variables. */
export type AwsServiceId = 'S3' | 'SESV2' | 'SQS' | 'DYNAMODB';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/**
 * Reads a text and its ETag from S3; `not_modified` if the ETag still matches. Rejects with a `ClientError`
 * that names the remedy.
 */
export type ReadObject = (object: {
  readonly bucket: string;
  readonly key: string;
  /** The bucket's region. Default: the region of the relay's other AWS services. */
  readonly region?: string | undefined;
  readonly etag?: string | undefined;
  readonly timeoutMs: number;
}) => Promise<{ readonly text: string; readonly etag: string | undefined } | 'not_modified'>;
