import type { Scope } from '../../schema/template/render.ts';

/** How an output gets its tokens, as declared. */
export interface OAuth2 {
  /** What is asked for, and with which credentials. Throws a `ClientError` when one of them renders empty. */
  readonly grantOf: (scope: Scope) => OAuth2Grant;
}

/** How a token is asked for (RFC 6749): plain data, rendered. Nothing submitted is in it, so it is the same each time. */
export type OAuth2Grant = ClientCredentials | RefreshToken | JwtBearer | ServiceAccount;

interface Asking {
  readonly scope: string | undefined;
  /** What the server wants beyond the standard, such as `audience`. */
  readonly params: Readonly<Record<string, string>>;
}

/** RFC 6749, 4.4. */
export interface ClientCredentials extends Asking {
  readonly kind: 'client_credentials';
  readonly tokenUrl: URL;
  readonly client: Client;
}

/** RFC 6749, 6. The server may answer with another refresh token, which a stateless relay cannot keep. */
export interface RefreshToken extends Asking {
  readonly kind: 'refresh_token';
  readonly tokenUrl: URL;
  readonly client: Client;
  readonly refreshToken: string;
}

/** RFC 7523. */
export interface JwtBearer extends Asking {
  readonly kind: 'jwt_bearer';
  readonly tokenUrl: URL;
  readonly issuer: string;
  readonly subject: string | undefined;
  /** Default: the token URL. */
  readonly audience: string | undefined;
  /** PEM. */
  readonly privateKey: string;
  readonly keyId: string | undefined;
}

/** The same, with everything but the scope from the JSON that Google gives for a service account. */
export interface ServiceAccount extends Asking {
  readonly kind: 'service_account';
  readonly json: string;
  readonly subject: string | undefined;
}

export interface Client {
  readonly id: string;
  /** A public client has none. */
  readonly secret: string | undefined;
  /** `basic`: in the `Authorization` header. `post`: in the body. */
  readonly auth: 'basic' | 'post';
}
