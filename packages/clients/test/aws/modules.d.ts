/** Types for s3rver, which has none, as far as the tests need them. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net';

  export default class S3rver {
    constructor(options: {
      port: number;
      address: string;
      silent: boolean;
      directory: string;
      configureBuckets: readonly { name: string }[];
    });
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
    readonly httpServer: import('node:http').Server;
    readonly store: { listObjects(bucket: string, options: { readonly maxKeys: number }): Promise<unknown> };
  }
}
