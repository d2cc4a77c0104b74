/** HTTPS of the HTTP client for servers: names, sessions, addresses, and connections that break. */
import { execFile } from 'node:child_process';
import dns from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { server as certificate } from '../../../../test/support/certificates.ts';
import { rawServer, type Serving } from '../../../../test/support/index.ts';
import { createHttpClient } from '../../src/http/http_client.ts';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

interface Handshake {
  readonly name: string | false;
  readonly isReused: boolean;
  readonly protocol: string | null;
}

async function startServer(
  post: Serving['post'] = (socket) => socket.write(answer),
  more: tls.TlsOptions = {},
) {
  const handshakes: Handshake[] = [];
  const connect = (socket: Socket) => {
    const { servername, alpnProtocol } = socket as tls.TLSSocket & { servername?: string | false };
    const isReused = (socket as tls.TLSSocket).isSessionReused();
    handshakes.push({ name: servername ?? false, isReused, protocol: alpnProtocol || null });
  };
  const options = { ...certificate, ALPNProtocols: ['h2', 'http/1.1'], ...more };
  const { port } = await rawServer({ connect, post, options });
  return { port, handshakes };
}

function createClient() {
  const client = createHttpClient();
  onTestFinished(() => client.close());
  return (url: string, body = 'a=1;') => client({ url: new URL(url), headers: {}, body, timeoutMs: 10_000 });
}

/** Trusts the certificates of the authority that only tests use. */
function trustAll(): void {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Replaces the DNS for `.test`. */
function stageDns(addresses: readonly string[]): void {
  const real = dns.lookup as unknown as LookupFunction;
  const lookup: LookupFunction = (host, options, callback) => {
    if (!host.endsWith('.test')) return real(host, options, callback);
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  };
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
  onTestFinished(() => void vi.restoreAllMocks());
}

test('the client sends a name by SNI, and HTTP/1.1 by ALPN, but no address as a name', async () => {
  trustAll();
  stageDns(['127.0.0.1']);
  const server = await startServer();
  const post = createClient();
  await post(`https://mail.test:${server.port}/`);
  await post(`https://127.0.0.1:${server.port}/`);
  expect(server.handshakes).toEqual([
    { name: 'mail.test', isReused: false, protocol: 'http/1.1' },
    { name: false, isReused: false, protocol: 'http/1.1' },
  ]);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a later connection resumes the session (%s)',
  async (maxVersion) => {
    trustAll();
    const closing = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok';
    const server = await startServer((socket) => socket.end(closing), { maxVersion });
    const post = createClient();
    for (let nth = 0; nth < 4; nth += 1)
      expect(await post(`https://127.0.0.1:${server.port}/`)).toMatchObject({
        status: 200,
        body: 'ok',
        isCut: false,
      });
    expect(server.handshakes.map(({ isReused }) => isReused)).toEqual([false, true, true, true]);
  },
);

test('no session is used for another server', async () => {
  trustAll();
  const servers = [await startServer(), await startServer()];
  const post = createClient();
  for (const { port } of servers) await post(`https://127.0.0.1:${port}/`);
  expect(servers.flatMap(({ handshakes }) => handshakes.map(({ isReused }) => isReused))).toEqual([
    false,
    false,
  ]);
});

test('if an address refuses, the next address of the host is tried', async () => {
  trustAll();
  stageDns(['127.0.0.2', '127.0.0.1']);
  const server = await startServer();
  const post = createClient();
  for (let nth = 0; nth < 3; nth += 1)
    expect(await post(`https://both.test:${server.port}/`)).toMatchObject({ status: 200, body: 'ok' });
  expect(server.handshakes).toMatchObject([{ name: 'both.test' }]);
});

test('a certificate is valid only for its names, with or without a session', async () => {
  // The response announces that it closes the connection, so that the next request cannot hit the closing one.
  const server = await startServer((socket) =>
    socket.end(answer.replace('\r\n', '\r\nConnection: close\r\n')),
  );
  const script = `
    import dns from 'node:dns';
    import { createHttpClient } from ${JSON.stringify(new URL('../../src/http/http_client.ts', import.meta.url).href)};
    dns.lookup = (host, options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const post = createHttpClient();
    const said = [];
    for (const host of ['mail.test', 'mail.test', 'other.test', 'other.test'])
      await post({ url: new URL('https://' + host + ':${server.port}/'), headers: {}, body: ';', timeoutMs: 5000 })
        .then(({ status }) => said.push(status), ({ code }) => said.push(code));
    console.log(said.join());`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script],
    {
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('../../../../test/support/ca.pem', import.meta.url)),
      },
    },
  );
  expect(stdout).toBe('200,200,certificate_of_another_name,certificate_of_another_name\n');
});

test('even in a busy process, the response to a complete request is not early', async () => {
  trustAll();
  const server = await startServer();
  const post = createClient();
  for (const size of [1, 20_000, 300_000, 1, 20_000]) {
    const answered = post(`https://127.0.0.1:${server.port}/`, `${'x'.repeat(size)};`);
    setImmediate(() => {
      for (const until = performance.now() + 4; performance.now() < until; );
    });
    expect(await answered).toMatchObject({ status: 200, isEarly: false });
  }
});

test('if a connection is reset in the handshake, nothing was sent', async () => {
  const { port } = await rawServer({ piece: (socket) => socket.resetAndDestroy() });
  await expect(createClient()(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
    code: 'closed',
    isUnsent: true,
  });
});
