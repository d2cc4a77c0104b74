import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpEvent, HttpResult } from '../../packages/relay/src/runtimes/lambda/http_api.ts';
import type {
  BatchResponse,
  ScheduledEvent,
  SqsEvent,
} from '../../packages/relay/src/runtimes/lambda_kept.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface LambdaOptions {
  readonly env: Readonly<Record<string, string>>;
  /** How the runtime loads the handler: `require` up to Node 22, `import` from Node 24 on. */
  readonly way?: 'require' | 'import';
  /** Which of its functions is called. Default: `handler`. */
  readonly name?: 'handler' | 'kept';
  /** Which build of it. Default: that of this checkout. */
  readonly file?: string;
  /** Which Node runs it. Default: this one. */
  readonly node?: string;
  /** Node's flags. Default: those of Lambda's own runtime in a function with 128 MB. */
  readonly flags?: readonly string[];
  /** The start file of Lambda's own client (`aws-lambda-ric`), which knows neither `way` nor what was left. Default: a stand-in. */
  readonly client?: string | undefined;
}

/** What Lambda calls every invocation here. */
export const requestId = '8476a536-e9f4-11e8-9739-2dfe598c3fcd';

export interface Invocation<R = HttpResult> {
  readonly result: R;
  /** Node's names of what was still running when the handler had answered. */
  readonly left: readonly string[];
  readonly peakMb: number;
  readonly ms: number;
}

/** `dist/lambda/lambda.cjs` in a process of its own, under a Lambda Runtime API. */
export interface Lambda {
  /** Of its process. */
  readonly pid: number;
  /** Resolves when the function is made: with `ready`, or with the error of its init. */
  readonly init: Promise<'ready' | { readonly errorType: string; readonly errorMessage: string }>;
  /** Rejects with the error's message when the handler threw. */
  invoke(event: HttpEvent, timeLeftMs?: number): Promise<Invocation>;
  invoke(event: SqsEvent | ScheduledEvent, timeLeftMs?: number): Promise<Invocation<BatchResponse>>;
  /** Everything logged so far. */
  log(): string;
  /** Stops the process between two invocations, as Lambda does, while `during` runs. */
  frozen(during: () => unknown): Promise<void>;
  close(): Promise<void>;
}

/** How Lambda's runtimes start Node in a function with 128 MB: a tenth for the young generation, the rest for the old. */
const runtimeFlags = [
  ...['--expose-gc', '--max-http-header-size', '81920'],
  ...['--max-semi-space-size=6', '--max-old-space-size=116'],
];

/** The environment that Lambda's own client needs. */
const clientSettings = (root: string, handler: string) => ({
  _HANDLER: handler,
  LAMBDA_TASK_ROOT: root,
  AWS_LAMBDA_FUNCTION_NAME: 'relay',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
  AWS_LAMBDA_LOG_GROUP_NAME: 'relay',
  AWS_LAMBDA_LOG_STREAM_NAME: 'relay',
});

export async function startLambda({
  env,
  way = 'require',
  name = 'handler',
  file = path('../../dist/lambda/lambda.cjs'),
  node = process.execPath,
  flags = runtimeFlags,
  client,
}: LambdaOptions): Promise<Lambda> {
  let log = '';
  /** The answer to a `next` that waits for work. */
  let waiting: http.ServerResponse | undefined;
  const events = new EventEmitter();
  const init = once(events, 'init').then(([state]) => state);

  const api = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { url = '', headers } = request;
    if (url.endsWith('/invocation/next')) {
      waiting = response;
      events.emit('init', 'ready');
      events.emit('idle');
      return;
    }
    response.writeHead(202).end();
    if (url.endsWith('/init/error')) events.emit('init', JSON.parse(body));
    else if (url.endsWith('/error')) events.emit('answer', new Error(JSON.parse(body).errorMessage));
    else {
      const left = String(headers.left).split(',').filter(Boolean);
      events.emit('answer', { result: JSON.parse(body), left, peakMb: Number(headers['peak-mb']) });
    }
  });
  const idle = async () => {
    if (!waiting) await once(events, 'idle');
  };
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const start = client ? [client] : [path('lambda_bootstrap.cjs'), file, way, name];
  const child = spawn(node, [...flags, ...start], {
    env: {
      ...env,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(api.address() as AddressInfo).port}`,
      ...(client && clientSettings(dirname(file), `${basename(file, '.cjs')}.${name}`)),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.on('exit', () => events.emit('answer', new Error(`the function ended: ${log}`)));
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });

  return {
    pid: child.pid ?? 0,
    init,
    log: () => log,
    async invoke(event: object, timeLeftMs = 25_000) {
      const answered = once(events, 'answer');
      await Promise.race([idle(), answered]);
      const started = performance.now();
      waiting
        ?.writeHead(200, {
          'lambda-runtime-aws-request-id': requestId,
          'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:123456789012:function:relay',
          'lambda-runtime-deadline-ms': String(Date.now() + timeLeftMs),
          'lambda-runtime-trace-id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700',
          'content-type': 'application/json',
        })
        .end(JSON.stringify(event));
      waiting = undefined;
      const [answer] = await answered;
      if (answer instanceof Error) throw answer;
      return { ...answer, ms: performance.now() - started };
    },
    async frozen(during) {
      await idle();
      child.kill('SIGSTOP');
      await during();
      child.kill('SIGCONT');
    },
    async close() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      api.closeAllConnections();
      api.close();
    },
  };
}
