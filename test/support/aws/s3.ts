/** The little of S3 that a store of kept deliveries needs, with signatures checked: in memory, on a port of 127.0.0.1. */
import http from 'node:http';
import { listen } from '../listen.ts';
import { signatureProblem } from './signature.ts';

export interface Bucket {
  readonly origin: string;
  /** By path, with the bucket's name. */
  readonly objects: Map<string, Buffer>;
  close(): Promise<void>;
}

export async function startBucket(now: () => number = Date.now): Promise<Bucket> {
  const objects = new Map<string, Buffer>();
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const problem = await signatureProblem(request, body, 's3', now());
    const { method, url = '', headers } = request;
    const found = objects.get(url);
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    if (problem !== undefined) return void refuse(403, 'SignatureDoesNotMatch');
    if (method === 'PUT' && found && headers['if-none-match'] === '*')
      return void refuse(412, 'PreconditionFailed');
    if (method === 'PUT') objects.set(url, body);
    if (method === 'DELETE') objects.delete(url);
    if (method !== 'GET') return void response.writeHead(method === 'PUT' ? 200 : 204).end();
    if (!found) return void refuse(404, 'NoSuchKey');
    response.writeHead(200).end(found);
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    objects,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
