/** Types for oidc-provider, which has none, as far as the tests need them. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Model {
    save(): Promise<string>;
    addOIDCScope(scope: string): void;
  }
  interface ModelClass {
    new (properties: object): Model;
    find(id: string): Promise<object | undefined>;
  }
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    readonly Client: ModelClass;
    readonly Grant: ModelClass;
    readonly RefreshToken: ModelClass;
    readonly AccessToken: ModelClass;
    readonly ClientCredentials: ModelClass;
  }
}
