/** Fakes of AWS services, which end with the test that started them. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import startSesServer from 'aws-ses-v2-local';
import S3rver from 's3rver';

/** The only account of s3rver, which needs a signature but accepts any; sign.test.ts tests signatures. */
export const account = {
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
  AWS_REGION: 'eu-central-1',
};

/** An S3 server with the bucket `configs`. The server's lists have as many objects per page as S3's, or a given number. */
export async function startS3({ pageSize = 1_000 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'relay-s3-'));
  const configureBuckets = [{ name: 'configs' }];
  const options = { port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets };
  const s3 = new S3rver(options);
  const list = s3.store.listObjects.bind(s3.store);
  s3.store.listObjects = (bucket, listed) =>
    list(bucket, { ...listed, maxKeys: Math.min(pageSize, listed.maxKeys) });
  const { port } = await s3.run();
  const origin = `http://127.0.0.1:${port}`;
  onTestFinished(async () => {
    s3.httpServer.closeAllConnections();
    await s3.close();
    rmSync(directory, { recursive: true });
  });
  const answered: string[] = [];
  const signedFor: string[] = [];
  s3.httpServer.on('request', ({ method, url, headers }, response) => {
    if (method !== 'GET') return;
    response.on('finish', () => answered.push(`${response.statusCode} ${url}`));
    const [, key, region] = /Credential=([^/]+)\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    signedFor.push(`${key} ${region}`);
  });
  return {
    origin,
    /** Status and path of every GET, such as `200 /configs/webform.yaml`. */
    answered,
    /** The signer of each request, and its region. */
    signedFor,
    /** Puts an object; no permission is needed. */
    async put(key: string, text: string | Uint8Array<ArrayBuffer>, bucket = 'configs') {
      const path = key.split('/').map(encodeURIComponent).join('/');
      const { status } = await fetch(`${origin}/${bucket}/${path}`, { method: 'PUT', body: text });
      if (status !== 200) throw new Error(`s3rver answered ${status}`);
    },
  };
}

interface SesMail {
  readonly from: string;
  readonly replyTo: readonly string[];
  readonly destination: {
    readonly to: readonly string[];
    readonly cc: readonly string[];
    readonly bcc: readonly string[];
  };
  readonly subject: string;
  readonly body: { readonly text?: string; readonly html?: string };
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: string;
    readonly size: number;
  }[];
}

/** An SES server. All servers of a process share their store, so it is emptied first. */
export async function startSes() {
  const server = await startSesServer({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await fetch(`${origin}/clear-store`, { method: 'POST' });
  return {
    origin,
    async mails(): Promise<readonly SesMail[]> {
      const store = (await (await fetch(`${origin}/store`)).json()) as { emails: SesMail[] };
      return store.emails;
    },
  };
}
