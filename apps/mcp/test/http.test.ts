/** `relay mcp --http`: the same tools for clients with a key, or for people of the team. */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SignJWT } from 'jose';
import { listen } from '../../../test/support/listen.ts';
import { folderWith, program } from './assistant.ts';

const key = 'frk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg';
const forms = `forms:
  contact:
    fields: [{name: name, required: true}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;

/** Runs the program until the test ends. Returns where it listens. */
async function serve(
  config: string,
  options: readonly string[] = [],
  env: Record<string, string> = { MCP_KEY: key },
) {
  const { file } = await folderWith(config);
  const child: ChildProcess = spawn(
    process.execPath,
    [program, '--config', file, 'mcp', '--http', '0', ...options],
    { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const url = await new Promise<URL>((resolve, reject) => {
    child.once('close', () => reject(new Error(said)));
    child.stdout?.on('data', (some) => {
      said += some;
      const [, address] = /(http:\/\/127\.0\.0\.1:\d+\/mcp)(?: with.*)?\n/.exec(said) ?? [];
      if (address) resolve(new URL(address));
    });
  });
  const ended = () => new Promise((resolve) => child.once('close', resolve));
  return { url, child, ended };
}

async function connect(
  url: URL,
  token = key,
  mode: 'legacy' | { readonly pin: string } = { pin: '2026-07-28' },
) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

const list = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/** Lists the tools without the SDK. */
const post = (url: URL, headers: Record<string, string> = {}, body = list) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
      authorization: `Bearer ${key}`,
      ...headers,
    },
    body,
  });

test.each(['legacy', { pin: '2026-07-28' }] as const)('each tool answers over HTTP: %o', async (mode) => {
  const { url } = await serve(forms);
  const client = await connect(url, key, mode);
  const given: Record<string, Record<string, unknown>> = {
    search_manual: { query: 'honeypot' },
    read_manual: { page: 'docs/spam.md' },
    explain_submission: { form: 'contact' },
    write_config: { edits: [{ old: 'name: name', new: 'name: who' }] },
  };
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('read_submissions');
  for (const { name } of tools) {
    const { isError, content } = await client.callTool({ name, arguments: given[name] ?? {} });
    // The doctor refuses after the config was written.
    expect([name, isError ?? false], JSON.stringify(content)).toEqual([name, name === 'run_doctor']);
  }
});

test('SIGTERM ends it, and values are shown only if its owner allows it', async () => {
  const { url, child, ended } = await serve(forms, ['--values']);
  const { tools } = await (await connect(url)).listTools();
  expect(tools.map(({ name }) => name)).toContain('read_submissions');
  child.kill('SIGTERM');
  expect(await ended()).toBe(0);
});

test('answers only to the key, and to host names of this machine', async () => {
  const { url } = await serve(forms);
  const statuses = async (...all: readonly Record<string, string>[]) =>
    Promise.all(all.map(async (headers) => (await post(url, headers)).status));
  const wrong = ['', 'Bearer ', `Bearer ${key}x`, `Basic ${key}`, `Bearer ${key.toLowerCase()}`];
  expect(await statuses(...wrong.map((authorization) => ({ authorization })))).toEqual([
    401, 401, 401, 401, 401,
  ]);
  const origins = ['https://evil.example', 'null', 'http://localhost.evil.example'];
  expect(await statuses(...origins.map((origin) => ({ origin })))).toEqual([403, 403, 403]);
  expect(await statuses({}, { origin: 'http://localhost:3000' })).toEqual([200, 200]);
  expect(await statuses({ 'mcp-method': 'tools/call' }, { 'mcp-protocol-version': '1999-01-01' })).toEqual([
    400, 400,
  ]);
  const asked = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  expect([asked.status, (await post(new URL('/', url))).status]).toEqual([405, 404]);
  expect((await post(url, {}, 'x'.repeat(5_000_000))).status).toBeGreaterThanOrEqual(400);
  expect((await post(url, {}, '{')).status).toBe(400);
});

test('a team’s assistant needs a token that the provider issued for this address', async () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' };
  let isDown = false;
  const provider = createServer((request, response) => {
    const metadata = {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
    };
    response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : metadata));
  });
  const issuer = `http://127.0.0.1:${await listen(provider)}`;
  onTestFinished(() => void provider.close());
  const team = 'https://mcp.example.org/mcp';
  const inbox = `inbox:
  url: https://inbox.example.org
  sign_in: {issuer: "${issuer}", client_id: inbox, client_secret_env: OIDC_SECRET}
  people: [{email: ada@example.org, may: [manage]}, {email: bob@example.org, may: [read, act]}]
`;
  const { url } = await serve(inbox + forms, ['--team', team], { OIDC_SECRET: 'secret' });
  const seconds = Math.floor(Date.now() / 1_000);
  const token = (claims: object = {}, privateKey = pair.privateKey) =>
    new SignJWT({
      ...{ iss: issuer, aud: team, sub: 'ada', exp: seconds + 300, iat: seconds },
      ...{ email: 'ada@example.org', email_verified: true },
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey);
  const status = async (made: Promise<string> | string) =>
    (await post(url, { authorization: `Bearer ${await made}`, host: 'mcp.example.org' })).status;

  const refused = await post(url, { authorization: '' });
  const about = `${new URL(team).origin}/.well-known/oauth-protected-resource/mcp`;
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining(`resource_metadata="${about}"`),
  ]);
  expect(await (await fetch(new URL(new URL(about).pathname, url))).json()).toMatchObject({
    resource: team,
    authorization_servers: [issuer],
  });

  expect((await (await connect(url, await token())).listTools()).tools.length).toBeGreaterThan(5);
  expect(await status(token({ aud: ['x', team] }))).toBe(200);
  const bad = [
    ...[{ aud: 'inbox' }, { aud: `${team}/x` }, { aud: undefined }, { iss: 'https://evil.example' }],
    ...[{ exp: seconds - 90 }, { exp: undefined }, { nbf: seconds + 300 }],
  ];
  for (const claims of bad) expect([claims, await status(token(claims))]).toEqual([claims, 401]);
  const [, payload = ''] = (await token()).split('.');
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  expect([await status(token({}, other.privateKey)), await status(none), await status(key)]).toEqual([
    401, 401, 401,
  ]);
  for (const claims of [{ email: 'bob@example.org' }, { email_verified: false }, { email: undefined }])
    expect([claims, await status(token(claims))]).toEqual([claims, 403]);
  isDown = true;
  // The keys have been loaded by now.
  expect(await status(token())).toBe(200);
});
