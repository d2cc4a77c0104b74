/**
 * A process of write_code_cache.ts: it runs the function as a cold start does and writes V8's code cache, or checks that a
 * function uses the cache.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { codeFiles, compile, probeSource, readCached, runFile } from './code_cache.ts';
import type { HttpEvent } from './http_api.ts';

/** Printed on stdout once a cache was written. */
export interface Written {
  readonly probe: string;
  readonly sizes: readonly number[];
}

const [task, directory = '', file = ''] = process.argv.slice(2);
const requireThere = createRequire(join(directory, 'lambda.cjs'));

const config = (hook: string) => `
cache_ttl: 1ms
forms:
  contact:
    spam: {honeypot: website}
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, support]}
      - {name: message, type: textarea, required: true}
    outputs:
      - {type: email, to: office@example.com, reply_to: "{{ .fields.email }}", mapping: "*"}
      - {type: http_post, url: "${hook}", mapping: "*"}
`;

/** Stands in for S3, SES and a webhook. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  request.resume().on('end', () => {
    if (request.method !== 'GET') response.end('{"MessageId":"1"}');
    else response.setHeader('etag', '"1"').end(config(`http://${request.headers.host}/hook`));
  });
}

const event = (method: string, rawPath: string, body = ''): HttpEvent => ({
  rawPath,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
  requestContext: { stage: '$default', http: { method, sourceIp: '127.0.0.1' } },
});

const coldStarts: readonly HttpEvent[] = [
  event('GET', '/api/v1/form/contact'),
  event('POST', '/api/v1/submit/contact', 'name=Ada&email=ada%40example.org&topics=sales&message=Hello'),
];

/** Sends the requests of most first visitors. Rejects if an answer is not 200. */
async function askIt({ handler }: typeof import('./main.ts')): Promise<void> {
  const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 25_000 };
  for (const one of coldStarts) {
    const { statusCode, body } = await handler(one, context);
    if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${body}`);
  }
}

async function write(): Promise<Written> {
  const scripts = codeFiles.map((name) => {
    const script = compile(directory, name, readFileSync(join(directory, name)));
    runFile(directory, name, script, requireThere);
    return script;
  });
  await askIt(await requireThere(`./${codeFiles.at(-1)}`));
  const caches = scripts.map((script) => script.createCachedData());
  writeFileSync(file, Buffer.concat(caches));
  return {
    probe: new Script(probeSource).createCachedData().toString('base64'),
    sizes: caches.map(({ length }) => length),
  };
}

async function check(): Promise<void> {
  const cached = readCached(directory);
  if (!cached || cached.some(({ script }) => script.cachedDataRejected)) {
    throw new Error('V8 rejects what it wrote');
  }
  await askIt(await requireThere('./lambda.cjs'));
}

const server = createServer(answer).listen(0, '127.0.0.1', async () => {
  Object.assign(process.env, {
    CONFIG_BUCKET: 'configs',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    MAIL_FROM_ADDRESS: 'forms@example.com',
  });
  const said = await (task === 'write' ? write() : check());
  process.stdout.write(JSON.stringify(said ?? null), () => process.exit());
});
