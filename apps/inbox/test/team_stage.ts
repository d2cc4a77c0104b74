import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { readSettings } from '../../../packages/core/src/settings.ts';
import { listen, tempFolder } from '../../../test/support/index.ts';
import { inspectInLanguages } from '../../../test/support/parse_config.ts';
import { isAnswer } from '../src/gate.ts';
import { createTeam } from '../src/team/team.ts';
import { startIdentityProvider } from './identity_provider.ts';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * A team inbox on a real port: it answers with the signed-in person, and at `/api/forms/NAME` with forms that
 * the person may see.
 */
export async function startTeam({
  trustedProxies,
  signIn = '',
  ...more
}: {
  readonly fetch?: typeof fetch;
  readonly trustedProxies?: string;
  /** More keys of `sign_in`. */
  readonly signIn?: string;
} = {}) {
  const server = createServer();
  const base = `http://127.0.0.1:${await listen(server)}`;
  const provider = await startIdentityProvider(`${base}/sign-in/back`);
  const audit = tempFolder();
  onTestFinished(() => {
    server.close();
    provider.close();
  });
  const clock = { now: Date.now() };
  const log: (readonly [string, object])[] = [];
  const settingsWith = async (people: string) => {
    const parsed = await inspectInLanguages(
      `inbox:
  url: ${base}
  sign_in: {issuer: "${provider.issuer}", client_id: inbox, client_secret_env: SECRET, ${signIn}}
  people: ${people}
  audit: ${audit}
forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "https://a.example/"}]}}
`,
      'webform.yaml',
    );
    if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('\n'));
    return parsed.value.shared.get('inbox');
  };
  let settings = await settingsWith(
    '[{email: Ada@example.org, may: [read, act, erase]}, {group: /support, may: [read], forms: [contact]}]',
  );
  const team = createTeam(() => settings, {
    now: () => clock.now,
    env: () => 'inbox-secret-of-some-length',
    log: (_level, event, fields = {}) => log.push([event, fields]),
    proxies: readSettings(trustedProxies ? { TRUSTED_PROXIES: trustedProxies } : {}),
    ...more,
  });
  server.on('request', async ({ method = '', url = '', headers, socket }, response) => {
    const [path = '', query = ''] = url.split('?');
    const head = { method, path, query, headers: headers as Record<string, string>, body: undefined };
    const person = await team.person({ ...head, peerAddress: socket.remoteAddress });
    if (isAnswer(person)) {
      response.writeHead(person.status, person.headers as Record<string, string | string[]>).end(person.body);
      return;
    }
    const [, form = 'contact'] = /^\/api\/forms\/(\w+)$/.exec(path) ?? [];
    try {
      if (!person.may('read', form)) {
        response.writeHead(404).end('no such form');
        return;
      }
      await team.audit(person, 'opened', { form, id: '1' });
      response.end(`${person.name} sees ${form}, erases: ${person.may('erase', form)}`);
    } catch (error) {
      response.writeHead(503).end((error as Error).message);
    }
  });

  /** Node's fetch cannot send another `Host`. */
  const ask = (address: string, method = 'GET', headers: Record<string, string> = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const outgoing = httpRequest(address, { method, headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (piece) => {
          body += piece;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
      outgoing.on('error', reject).end();
    });

  /** A browser that keeps cookies, and follows redirects by default. */
  const openBrowser = () => {
    const jar = new Map<string, Map<string, string>>();
    const visit = async (to: string, method = 'GET', headers: Record<string, string> = {}) => {
      const url = new URL(to, base);
      const own = jar.get(url.host) ?? new Map<string, string>();
      jar.set(url.host, own);
      const cookie = [...own].map((one) => one.join('=')).join('; ');
      const reply = await ask(url.href, method, { ...(cookie && { cookie }), ...headers });
      for (const line of reply.headers['set-cookie'] ?? []) {
        const [pair = ''] = line.split(';');
        const at = pair.indexOf('=');
        if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) own.delete(pair.slice(0, at));
        else own.set(pair.slice(0, at), pair.slice(at + 1));
      }
      return reply;
    };
    const own = new Map<string, string>();
    jar.set(new URL(base).host, own);
    const cookiesOf = () => own;
    /** Follows the sign-in up to the redirect back from the provider. */
    const toCallback = async (change: (address: URL) => void = () => {}) => {
      const begun = await visit('/sign-in', 'POST');
      if (begun.status !== 303) return { begun, address: '' };
      const first = new URL(begun.headers.location ?? '');
      change(first);
      let address = first.href;
      while (!address.startsWith(`${base}/`)) {
        const reply = await visit(address);
        if (!reply.headers.location) throw new Error(`the provider said ${reply.status}: ${reply.body}`);
        address = new URL(reply.headers.location, address).href;
      }
      return { begun, address };
    };
    const signIn = async (change?: (address: URL) => void) => visit((await toCallback(change)).address);
    return { visit, toCallback, signIn, cookiesOf };
  };

  return {
    base,
    provider,
    audit,
    clock,
    log,
    ask,
    openBrowser,
    reload: async (people: string) => {
      settings = await settingsWith(people);
    },
    audited: () =>
      readdirSync(audit)
        .flatMap((name) => readFileSync(join(audit, name), 'utf8').trim().split('\n'))
        .map((line) => JSON.parse(line) as { who: string; what: string; form?: string; limit?: string }),
  };
}
