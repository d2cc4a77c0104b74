/** A Worker in workerd behaves like every other runtime, with a few differences. */
import { resolve } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { read } from '../../../test/deploy/files.ts';
import { ours, type Send } from '../../../test/support/adapter_cases.ts';
import { gate, httpSink, rawServer } from '../../../test/support/index.ts';
import { bundleWorker, startWorkerd } from '../../../test/support/workerd.ts';
import { formUrl, key, keysIn, ofRsa, signed } from '../../agents/test/signing.ts';
import { account, startS3, startSes } from '../../clients/test/aws/aws.ts';
import { billing } from '../../senders/test/stage.ts';
import { adapterSuite, streamOf } from './adapter_suite.ts';

type Workerd = ReturnType<typeof startWorkerd>;

function start(options: string, given?: Parameters<typeof startWorkerd>[1]): Promise<Workerd> {
  const code = `import { createWorker, Counts } from './index.mjs'; export { Counts }; export default createWorker(${options});`;
  return run(code, given);
}

/** Runs a Worker with this code until the test ends. */
async function run(code: string, given?: Parameters<typeof startWorkerd>[1]): Promise<Workerd> {
  const worker = startWorkerd(code, given);
  onTestFinished(() => worker.dispose());
  await worker.ready;
  return worker;
}

adapterSuite('a Worker on Cloudflare', async ({ config, env }) => {
  const worker = startWorkerd(`
      import { createWorker } from './index.mjs';
      const given = JSON.parse(${JSON.stringify(JSON.stringify({ config, env: { THROTTLE_RATE_LIMIT: '1000', THROTTLE_BURST_LIMIT: '1000', ...env } }))});
      const worker = createWorker({ config: given.config });
      export default {
        fetch(request, env, context) {
          const headers = new Headers(request.headers);
          headers.set('host', headers.get('x-host'));
          headers.delete('x-host');
          return worker.fetch(new Request(request, { headers }), { ...env, ...given.env }, context);
        },
      };`);
  await worker.ready;
  const send: Send = async (sent) => {
    const { method, target, headers } = sent;
    // Miniflare writes its own Host.
    const init = { method, headers: { ...headers, 'x-host': headers.host ?? 'relay.test' } };
    const ask = () =>
      worker.dispatchFetch(`http://relay.test${target}`, { ...init, ...streamOf(sent), redirect: 'manual' });
    // An early answer to a long body ends its connection, and undici may see the end first (RFC 9112, section 9.6).
    const answer = await [ask, ask, ask, ask].reduce((tried, again) => tried.catch(again), ask());
    return {
      status: answer.status,
      // Miniflare adds its own headers.
      headers: ours(new Headers([...answer.headers].filter(([name]) => !name.startsWith('mf-')))),
      body: await answer.text(),
    };
  };
  return { send, close: () => worker.dispose() };
});

const withConfig = (config: string, given?: Parameters<typeof startWorkerd>[1], more = '') =>
  start(`{ config: ${JSON.stringify(config)}${more} }`, given);

test('a Worker has the plug-ins that it imports', async () => {
  const config =
    'forms: {contact: {fields: [{name: email, type: email}], outputs: [{type: http_post, url: "https://a.example/", mapping: "*"}], spam: {blocked_domains: [mailinator.com]}}}';
  const worker = await run(`
    import { createWorker } from './index.mjs';
    ${read('examples/plugins/blocklist.mjs').replace('export default', 'const blocklist =')}
    export default createWorker({ config: ${JSON.stringify(config)}, plugins: [blocklist] });`);
  const sent = await worker.dispatchFetch('http://relay.test/api/v1/submit/contact', {
    method: 'POST',
    body: new URLSearchParams({ email: 'ada@mailinator.com' }),
  });
  expect([sent.status, await sent.json()]).toEqual([422, { error: 'Please use another address.' }]);
});

/**
 * Starts several Workers in one process, which takes a second to start. Each host is named after its Worker;
 * `env` is JavaScript.
 */
function startAll(
  workers: Readonly<Record<string, { readonly options: string; readonly env?: string }>>,
): Promise<Workerd> {
  const all = Object.entries(workers).map(
    ([name, { options, env = '{}' }]) => `'${name}': [createWorker(${options}), ${env}]`,
  );
  return run(`
    import { createWorker } from './index.mjs';
    const workers = { ${all} };
    export default {
      async fetch(request, _, context) {
        const [relay, env] = workers[new URL(request.url).hostname];
        let waited;
        const waitUntil = (work) => context.waitUntil((waited = work));
        const answer = relay.fetch(request, env, { waitUntil });
        return answer.catch(({ message }) => new Response(message, { status: 500 })).finally(() => waited);
      },
    };`);
}

async function post(
  worker: Workerd,
  form: string,
  body = 'name=Ann',
  headers = {},
  host = 'forms.example.com',
) {
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'cf-connecting-ip': '192.0.2.1' };
  const init = { method: 'POST', body, headers: { ...type, ...headers } };
  const answer = await worker.dispatchFetch(`https://${host}/api/v1/submit/${form}`, init);
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
}

const form = (url: string, more = '') => `
    fields: [{name: name, required: true}]
    outputs: [{type: http_post, url: "${url}", mapping: "*"${more}}]
`;

test('the project, bundled as Wrangler does it, runs in workerd, stays under 1 MB compressed, and evaluates no text as code', async () => {
  const wrangler = JSON.parse(read('deploy/cloudflare/wrangler.jsonc').replaceAll(/^\s*\/\/.*$/gm, ''));
  const code = await bundleWorker(resolve('deploy/cloudflare/worker.js'));
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(1_000_000);
  expect(code).not.toMatch(/\beval\s*\(|\bnew Function\b|\bFunction\(|[^.\w]require\(/);

  const worker = startWorkerd(code, {
    compatibilityDate: wrangler.compatibility_date,
    compatibilityFlags: wrangler.compatibility_flags,
    bindings: wrangler.vars,
    queueProducers: { KEPT: 'kept', ASIDE: 'aside' },
    durableObjects: { COUNTS: { className: 'Counts', useSQLite: true } },
  });
  onTestFinished(() => worker.dispose());
  const shown = await worker.dispatchFetch('https://forms.example.com/api/v1/form/contact');
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('name="message"')]);
});

test('the config comes from KV with its sibling files, and changes are picked up', async () => {
  const sink = await httpSink();
  const worker = await start(`{ kv: 'CONFIGS' }`, {
    kvNamespaces: ['CONFIGS'],
    bindings: { CACHE_TTL: '1ms', CONFIG_KEY: 'sites/webform.yaml' },
  });
  expect((await post(worker, 'contact')).status).toBe(500);
  expect(worker.said.join()).toContain(
    'npx wrangler kv key put --remote --binding CONFIGS sites/webform.yaml',
  );

  const kv = (await worker.getKVNamespace('CONFIGS')) as unknown as {
    put(key: string, text: string): Promise<void>;
  };
  const spam = '    spam: {signals: {blocklist: {words: words.txt}}, doubt: tag}\n';
  await kv.put('sites/webform.yaml', `forms:\n  contact:${form(sink.origin)}${spam}`);
  await kv.put('sites/words.txt', 'casino\n');
  expect((await post(worker, 'contact')).status).toBe(200);
  expect((await post(worker, 'other')).status).toBe(404);
  await kv.put('sites/webform.yaml', `forms:\n  other:${form(sink.origin)}`);
  await until(async () => (await post(worker, 'other')).status === 200);
  await kv.put('sites/webform.yaml', 'forms: nothing');
  await until(async () => {
    expect((await post(worker, 'other')).status).toBe(200);
    return worker.said.some((line) => line.includes('config_invalid') && line.includes('kv:CONFIGS/sites/'));
  });
});

test('a Worker that cannot start or read its config says why, and how to fix it', async () => {
  const config = (list: string) =>
    JSON.stringify(
      `spam: {doubt: observe, signals: {blocklist: {words: ${list}}}}\nforms:\n  contact:${form('http://a.example/')}`,
    );
  const files = `files: {'words.txt': 'casino'}`;
  const smtp =
    'forms: {contact: {fields: [{name: name}], outputs: [{type: smtp, host: mail.example.com, to: a@example.com}]}}';
  const cases = {
    'no-config': [{ options: '', env: `{CONFIG_FILE: 'webform.yaml'}` }, 'pass config or kv to createWorker'],
    'no-kv': [{ options: `{kv: 'CONFIGS'}` }, 'no KV namespace is bound to \\"CONFIGS\\"; add it to'],
    'failing-kv': [
      { options: `{kv: 'CONFIGS'}`, env: `{CONFIGS: {get: async () => { throw new Error('gone'); }}}` },
      'KV returned an error',
    ],
    'no-files': [
      { options: `{config: ${config('words.txt')}}` },
      'words.txt: createWorker has no text for it',
    ],
    'no-file': [
      { options: `{config: ${config('constructor')}, ${files}}` },
      'config:1:53: spam.signals.blocklist.words: constructor: createWorker has no text for it under files',
    ],
    malformed: [
      { options: `{config: ${config('words.txt')}, ${files}}`, env: `{THROTTLE_RATE_LIMIT: 'many'}` },
      '"error","event":"start_failed","reason":"THROTTLE_RATE_LIMIT',
    ],
    lacking: [
      { options: `{config: ${JSON.stringify(smtp)}}` },
      'outputs[0].type: Cloudflare Workers cannot do this: SMTP needs a socket; send mail with type: email',
    ],
  } as const;
  const worker = await startAll(
    Object.fromEntries(Object.entries(cases).map(([name, [one]]) => [name, one])),
  );
  for (const [name, [, reason]] of Object.entries(cases)) {
    expect((await post(worker, 'contact', 'name=Ann', {}, name)).status, name).toBe(500);
    await expect.poll(() => worker.said.join(), { message: name }).toContain(reason);
  }
});

test('the config, with sibling files, and the variables may come from the code and from Wrangler', async () => {
  const sink = await httpSink();
  const s3 = await startS3();
  const config = `forms:\n  contact:${form(sink.origin)}`;
  await s3.put('webform.yaml', config);
  const spam = '    spam: {signals: {blocklist: {words: words.txt, weight: 50}}, doubt: {drop: 20}}\n';
  const inCode = `config: ${JSON.stringify(config + spam)}, files: {'words.txt': 'casino'}`;
  const withFlag = `forms:\n  contact:${form(sink.origin, `, headers: {X-Flag: '{{ env "FLAG" }}'}`)}`;
  const worker = await startAll({
    code: { options: `{${inCode}}`, env: `{LOG_LEVEL: 'error', OTHER: {}, NONE: null}` },
    variable: { options: '', env: JSON.stringify({ CONFIG_INLINE: config }) },
    bucket: {
      options: '',
      env: JSON.stringify({ ...account, CONFIG_BUCKET: 'configs', AWS_ENDPOINT_URL_S3: s3.origin }),
    },
    values: {
      options: `{config: ${JSON.stringify(withFlag)}}`,
      env: `{THROTTLE_RATE_LIMIT: 1, THROTTLE_BURST_LIMIT: 1, FLAG: true}`,
    },
  });
  const status = async (name: string, body?: string) =>
    (await post(worker, 'contact', body, {}, name)).status;
  expect([await status('code', 'name=casino'), sink.requests.length]).toEqual([200, 0]);
  expect([await status('code'), sink.requests.length, worker.said]).toEqual([200, 1, []]);
  expect([await status('variable'), await status('bucket')]).toEqual([200, 200]);
  expect([await status('values'), await status('values')]).toEqual([200, 429]);
  expect(sink.requests.at(-1)?.headers['x-flag']).toBe('true');
});

test('a queued delivery is delivered by its queue', async () => {
  const sink = await httpSink();
  const config = `keep: {in: "queue://KEPT/ASIDE"}\nforms:\n  contact:\n    keep: always${form(sink.origin)}`;
  const worker = await withConfig(config, {
    queueProducers: { KEPT: 'kept', ASIDE: 'aside' },
    queueConsumers: { kept: { maxBatchTimeout: 0, maxRetries: 100 } },
    bindings: { KEEP_SECRET: 'k'.repeat(32) },
  });
  expect((await post(worker, 'contact')).status).toBe(200);
  await until(() => sink.requests.length === 1);
  expect(sink.requests[0]?.body).toBe('name=Ann');
  // The relay itself does not poll the queue.
  expect(worker.said.join()).not.toContain('keep_unavailable');
});

const counts = { durableObjects: { COUNTS: { className: 'Counts', useSQLite: true } } };

interface Sent {
  readonly queue: string;
  readonly body: string;
  readonly delaySeconds: number;
}

/** A Worker whose queues only record what is sent, and that gets batches over HTTP. */
async function withNotedQueues(config: string) {
  const worker = startWorkerd(`
    import { createWorker } from './index.mjs';
    const relay = createWorker({ config: ${JSON.stringify(config)} });
    const without = createWorker({ config: 'forms: nothing' });
    let sent = [];
    let isDown = false;
    const noting = (queue) => ({
      send: async (body, { delaySeconds }) => {
        if (isDown) throw new Error('Too Many Requests');
        sent.push({ queue, body, delaySeconds });
      },
    });
    const queues = { KEPT: noting('KEPT'), ASIDE: noting('ASIDE') };
    export default {
      async fetch(request, env, context) {
        const { pathname } = new URL(request.url);
        if (pathname === '/sent') return Response.json(sent.splice(0));
        if (pathname === '/down') return Response.json({ isDown: (isDown = !isDown) });
        const consumer = { '/batch': relay, '/batch-without-config': without }[pathname];
        if (!consumer) return relay.fetch(request, { ...env, ...queues }, context);
        const results = [];
        const messages = (await request.json()).map((body, id) => ({
          id: String(id),
          body,
          ack: () => results.push('ack'),
          retry: ({ delaySeconds }) => results.push('retry in ' + delaySeconds),
        }));
        await consumer.queue({ queue: 'kept', messages }, { ...env, ...queues }, context);
        return Response.json(results);
      },
    };`);
  onTestFinished(() => worker.dispose());
  const ask = async (path: string, body?: unknown) =>
    (
      await worker.dispatchFetch(`http://relay.test${path}`, {
        method: 'POST',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    ).json();
  return {
    worker,
    sent: async () => (await ask('/sent')) as readonly Sent[],
    /** How each message ended. */
    hand: (...bodies: readonly unknown[]) => ask('/batch', bodies) as Promise<readonly string[]>,
    /** Passes a batch to a Worker whose config does not load. */
    misdirect: (...bodies: readonly string[]) =>
      ask('/batch-without-config', bodies) as Promise<readonly string[]>,
    toggle: () => ask('/down'),
  };
}

/** The message, due now. */
const due = ({ body }: Sent) => body.replace(/"dueAt":[\d.]+/, `"dueAt":${Date.now() - 1}`);

test('a queued delivery keeps the relay’s back-off, and no message is acknowledged before another holds the delivery', async () => {
  let status = 503;
  const sink = await httpSink({ answer: () => ({ status }) });
  const config = `keep: {in: "queue://KEPT/ASIDE"}\nforms:\n  contact:\n    keep: failed${form(sink.origin, ', retries: 0')}`;
  const { worker, sent, hand, misdirect, toggle } = await withNotedQueues(config);
  expect((await post(worker, 'contact')).status).toBe(200);
  const [first] = await sent();
  expect(first?.queue).toBe('KEPT');
  expect(first?.delaySeconds).toBeGreaterThanOrEqual(59);
  expect(first?.delaySeconds).toBeLessThan(70);
  if (!first) return;

  // Cloudflare's maximum delay was shorter than the back-off.
  expect(await hand(first.body)).toEqual(['ack']);
  const [again] = await sent();
  expect(again?.body).toBe(first.body);
  expect(sink.requests).toHaveLength(1);

  expect(await hand(due(first))).toEqual(['ack']);
  const [second] = await sent();
  expect(JSON.parse(second?.body.split('\n')[0] ?? '')).toMatchObject({
    tries: 2,
    why: { code: 'http_status' },
  });

  await toggle();
  expect(await hand(due(first), 'no entry of ours')).toEqual(['retry in 60', 'retry in 60']);
  await toggle();
  expect(await misdirect('no entry of ours')).toEqual(['retry in 60']);
  expect(worker.said.join()).toMatch(
    /"error","event":"keep_unavailable","deliveries":1,"reason":"the config/,
  );

  status = 400;
  expect(await hand(due(first), { isOurs: false })).toEqual(['ack', 'ack']);
  const aside = await sent();
  expect(aside.map(({ queue }) => queue)).toEqual(['ASIDE', 'ASIDE']);
  expect(aside.map(({ body }) => body)).toContain('{"isOurs":false}');
  // The owner lets the Worker consume the dead-letter queue, but the cause was not fixed.
  const waiting = aside.find(({ body }) => !body.includes('isOurs'));
  if (!waiting) return;
  expect(await hand(waiting.body)).toEqual(['ack']);
  expect(await sent()).toMatchObject([{ queue: 'ASIDE', delaySeconds: 3_600 }]);

  status = 200;
  expect(await hand(waiting.body)).toEqual(['ack']);
  expect(await sent()).toEqual([]);
  expect(sink.requests.at(-1)?.body).toBe('name=Ann');
});

test('a visitor gets no success for a submission that no queue accepts', async () => {
  const sink = await httpSink({ answer: () => ({ status: 503 }) });
  const config = `
keep: {in: "queue://KEPT/ASIDE"}
forms:
  contact:
    keep: failed
    max_body: 1MB
    fields: [{name: name}, {name: cv, type: file, accept: [.dwg], max_size: 500KB}]
    outputs: [{type: webhook, url: "${sink.origin}", mapping: "*", files: base64, retries: 0}]
`;
  const { worker, sent, toggle } = await withNotedQueues(config);
  const body = new FormData();
  body.set('cv', new File(['x'.repeat(200_000)], 'plan.dwg'));
  const encoded = new Request('http://a.example/', { method: 'POST', body });
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const large = await worker.dispatchFetch('http://relay.test/api/v1/submit/contact', {
    method: 'POST',
    body: Buffer.from(await encoded.arrayBuffer()),
    headers,
  });
  expect([large.status, await sent()]).toEqual([500, []]);
  expect(worker.said.join()).toMatch(
    /too large for the queue: \d+ KB, and the limit is 124 KB; with `files_in`/,
  );
  await toggle();
  expect((await post(worker, 'contact')).status).toBe(500);
});

test('no more submissions get a place than there are places, however many are sent at once', async () => {
  const sink = await httpSink();
  const config = `counted_in: durable-object://COUNTS\nforms:\n  party:\n    places: 10${form(sink.origin)}`;
  const worker = await withConfig(config, { ...counts, bindings: { THROTTLE_BURST_LIMIT: '1000' } });
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(worker, 'party')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(sink.requests).toHaveLength(10);
});

test('a server sends with its key, and many concurrent attempts with one Idempotency-Key are delivered once', async () => {
  const sink = await httpSink();
  const config = `counted_in: durable-object://COUNTS\nforms:\n  order:\n    keys_env: [KEY_BILLING]${form(sink.origin)}`;
  const worker = await withConfig(config, { ...counts, bindings: { KEY_BILLING: billing } });
  const send = (body?: string, key = billing) =>
    post(worker, 'order', body, { authorization: `Bearer ${key}`, 'idempotency-key': 'order-1' });
  expect((await send('name=Ann', `${billing}x`)).status).toBe(401);
  const tries = await Promise.all(Array.from({ length: 10 }, () => send()));
  expect(tries.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const again = await send();
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect((await send('name=Bob')).status).toBe(422);
  expect(sink.requests).toHaveLength(1);
});

test('outputs keep the rules for redirects, timeouts, retries and long responses', async () => {
  const countOf = (path: string) => sink.requests.filter(({ url }) => url === `/${path}`).length;
  const sink = await httpSink({
    answer: ({ url }) => {
      const to = (status: number, location: string) => ({ status, headers: { location } });
      if (url === '/moved') return to(307, '/end');
      if (url === '/see') return to(303, '/never');
      if (url === '/around') return to(308, '/around');
      if (url === '/busy') return { status: countOf('busy') === 1 ? 503 : 200 };
      return url === '/long' ? { body: 'x'.repeat(1_000_000) } : {};
    },
  });
  let cut = 0;
  const cutting = await rawServer({
    post: (socket) => {
      cut += 1;
      socket.end(cut === 1 ? '' : 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    },
  });
  const endless = await rawServer({
    post: (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(100_000)}`),
  });
  const paths = ['moved', 'see', 'around', 'busy', 'long'];
  const one = (path: string) =>
    `  ${path}:${form(`${sink.origin}/${path}`, `, timeout: 5s, headers: {X-Name: "{{ .fields.name }}"}`)}`;
  const others = `  cut:${form(cutting.origin)}  endless:${form(endless.origin, ', timeout: 20s')}`;
  const worker = await withConfig(`forms:\n${paths.map(one).join('')}${others}`);
  const status = async (path: string) => (await post(worker, path, 'name=%C3%84%E6%97%A5')).status;

  expect([await status('moved'), countOf('moved'), countOf('end')]).toEqual([200, 1, 1]);
  expect(sink.requests[1]).toMatchObject({ method: 'POST', body: 'name=%C3%84%E6%97%A5' });
  expect(Buffer.from(sink.requests[0]?.headers['x-name'] as string, 'latin1').toString()).toBe('Ä日');
  expect([await status('see'), countOf('never')]).toEqual([200, 0]);
  expect([await status('around'), countOf('around')]).toEqual([500, 1]);
  expect([await status('busy'), countOf('busy')]).toEqual([200, 2]);
  expect([await status('cut'), cut]).toEqual([200, 2]);
  expect(await status('long')).toBe(200);
  const startedAt = performance.now();
  expect(await status('endless')).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

test('responses with a content coding are decoded by the platform, or fail', async () => {
  const text = '{"ok":true}';
  const codings: Readonly<Record<string, readonly [header: string, body: Buffer]>> = {
    gzip: ['gzip', gzipSync(text)],
    brotli: ['br', brotliCompressSync(text)],
    deflate: ['deflate', deflateSync(text)],
    bomb: ['gzip', gzipSync(`{"ok":true,"x":"${'x'.repeat(5_000_000)}"}`)],
    unknown: ['zstd', Buffer.from('\x28\xb5')],
  };
  const sink = await httpSink({
    answer: ({ url }) => {
      const [coding, body] = codings[url.slice(1)] ?? ['', Buffer.alloc(0)];
      return { headers: { 'content-encoding': coding }, body };
    },
  });
  const one = (name: string) => `
  ${name}:
    fields: [{name: name}]
    outputs: [{type: webhook, url: "${sink.origin}/${name}", expect: {json: {at: ok, is: true}}}]`;
  const worker = await withConfig(`forms:${Object.keys(codings).map(one).join('')}`);
  for (const name of Object.keys(codings)) {
    const isReadable = name === 'gzip' || name === 'brotli';
    expect([name, (await post(worker, name)).status]).toEqual([name, isReadable ? 200 : 500]);
  }
  expect(worker.said.join()).toMatch(/the response is compressed/);
  expect(worker.said.join()).toMatch(/longer than 64 KB/);
  expect(sink.requests[0]?.headers['accept-encoding']).toBe('identity');
});

test('a response longer than 64 KB, or broken off, is not taken as complete', async () => {
  const text = (length: number) => '{"access_token":"t","token_type":"bearer"}'.padEnd(length);
  const sink = await httpSink({
    answer: ({ url }) => (url === '/api' ? {} : { body: text(Number(url.slice(1))) }),
  });
  const broken = await rawServer({
    post: (socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${text(50)}`),
  });
  const servers = {
    whole: `${sink.origin}/65536`,
    longer: `${sink.origin}/65537`,
    broken: `${broken.origin}/`,
  };
  const forms = Object.entries(servers).map(([name, url]) => {
    const oauth2 = `{grant: client_credentials, token_url: "${url}", client_id: relay, client_secret: '{{ env "SECRET" }}'}`;
    return `  ${name}:${form(`${sink.origin}/api`, `, retries: 0, oauth2: ${oauth2}`)}`;
  });
  const worker = await withConfig(`forms:\n${forms.join('')}`, { bindings: { SECRET: 's3cret' } });
  const statuses = [];
  for (const name of Object.keys(servers)) statuses.push((await post(worker, name)).status);
  expect(statuses).toEqual([200, 500, 500]);
  const isCut = (line: string) =>
    line.includes('delivery_failed') && line.includes('valid JSON of at most 64 KB');
  await expect.poll(() => worker.said.filter(isCut).length).toBe(2);
});

test('a visitor who disconnects loses nothing', async () => {
  const { open: arrive, opened: arrived } = gate();
  const { open: goOn, opened: going } = gate();
  const sink = await httpSink({
    answer: async () => {
      arrive();
      await going;
      return {};
    },
  });
  const worker = await withConfig(`forms:\n  contact:${form(sink.origin)}`);
  const leaving = new AbortController();
  const url = new URL('/api/v1/submit/contact', await worker.ready);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = fetch(url, { method: 'POST', body: 'name=Ann', headers: type, signal: leaving.signal });
  await arrived;
  leaving.abort();
  await expect(sent).rejects.toThrow();
  goOn();
  await until(() => worker.said.some((line) => line.includes('"outcome":"delivered"')));
});

/** Waits for events, however busy the machine is. */
const until = (isSo: () => boolean | Promise<boolean>) => vi.waitUntil(isSo, { timeout: 20_000 });

test('mails are sent through SES, and archives and PDFs are stored in S3, with files', async () => {
  const [ses, s3] = [await startSes(), await startS3()];
  const config = `
forms:
  apply:
    fields: [{name: name, required: true}, {name: cv, type: file}]
    outputs:
      - {type: email, to: office@example.com, subject: "From {{ .fields.name }}", mapping: "*", pdf: true}
      - {type: s3, bucket: configs, prefix: forms, mapping: "*"}
`;
  const worker = await withConfig(config, {
    bindings: {
      ...account,
      MAIL_FROM_ADDRESS: 'forms@example.com',
      AWS_ENDPOINT_URL_SESV2: ses.origin,
      AWS_ENDPOINT_URL_S3: s3.origin,
    },
  });
  const body = new FormData();
  body.set('name', 'Änn');
  body.set('cv', new File(['%PDF-1.4 cv'], 'cv.pdf', { type: 'application/pdf' }));
  const encoded = new Request('http://a.example/', { method: 'POST', body });
  const answer = await worker.dispatchFetch('https://forms.example.com/api/v1/submit/apply', {
    method: 'POST',
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  });
  expect([answer.status, worker.said.filter((line) => line.includes('failed'))]).toEqual([200, []]);
  const [mail] = await ses.mails();
  expect(mail?.subject).toBe('From Änn');
  expect(mail?.attachments.map(({ filename }) => filename)).toEqual([
    'cv.pdf',
    expect.stringMatching(/pdf$/),
  ]);
  const listed = await (await fetch(`${s3.origin}/configs?list-type=2`)).text();
  expect(listed.match(/<Key>forms\//g)).toHaveLength(2);
});

test('an agent’s signature counts once in a Worker', async () => {
  const sink = await httpSink();
  const config = `counted_in: durable-object://COUNTS
agents: [{directory: https://agent.example}]
forms:
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", aside: also}]
    spam: {min_fill_seconds: 3, too_fast: drop, doubt: {tag: 5, aside: 8}}`;
  const outboundService = async (request: Request) =>
    new URL(request.url).hostname === 'agent.example'
      ? new Response(keysIn(key.jwk, ofRsa.jwk).body)
      : fetch(request.url, { method: 'POST', headers: [...request.headers], body: await request.text() });
  const env = {
    PUBLIC_URL: new URL(formUrl).origin,
    FORM_TOKEN_SECRET: 'a-long-random-text-of-many-characters',
  };
  const worker = await withConfig(config, { ...counts, bindings: env, outboundService } as never);
  const headers = [await signed(), await signed({ by: ofRsa })];
  for (const one of [...headers, ...headers])
    await worker.dispatchFetch(formUrl, { method: 'POST', headers: one, body: 'name=Ada' });
  const agents = sink.requests.map((one) => one.headers['x-form-agent'] ?? one.headers['x-form-doubt']);
  expect(agents).toEqual([...Array(2).fill('https://agent.example'), ...Array(2).fill('8 (agent, program)')]);
});
