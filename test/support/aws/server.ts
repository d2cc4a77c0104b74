/** A stub of an AWS service on a port of 127.0.0.1, which accepts signed requests. */
import http from 'node:http';
import { listen } from '../listen.ts';
import { signatureProblem } from './signature.ts';

interface AwsRequest {
  readonly incoming: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly body: Buffer;
  /** The name of the error if the signature is wrong. */
  readonly problem: string | undefined;
}

export async function startAws(service: string, now: () => number, serve: (request: AwsRequest) => unknown) {
  const server = http.createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray());
    const problem = await signatureProblem(incoming, body, service, now());
    await serve({ incoming, response, body, problem });
  });
  const port = await listen(server);
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    close,
    /** Closes the port; the returned function reopens it. */
    stop: async () => {
      await close();
      return async () => void (await listen(server, port));
    },
  };
}

/** Answers as a service that uses JSON. */
export function answerJson(response: http.ServerResponse, status: number, content?: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(content && JSON.stringify(content));
}

/** The name of the action in such a request; `undefined` if the request is not for this API. */
export function actionOf({ headers, method, url }: http.IncomingMessage, api: string): string {
  const isJson = headers['content-type'] === 'application/x-amz-json-1.0';
  const [target, action = ''] = String(headers['x-amz-target']).split('.');
  return isJson && method === 'POST' && url === '/' && target === api ? action : '';
}
