import { type Area, promise } from '../promise.ts';
import type { Trial } from '../trial.ts';

const from = 'SPEC: Authentication';
const needs = ['cors'] as const;

const allowOrigin = async (t: Trial, origin: string) =>
  (await t.submit('contact', { ...t.values, name: '' }, { Origin: origin })).headers;

export const cors: Area = {
  needs,
  promises: {
    everybody: promise`By default pages of every origin may read answers, refusals too.
      (${from})`(async (t) => {
      for (const answer of [
        await t.submit('contact', t.values, { Origin: 'https://a.example' }),
        await t.submit('promises-no-such-form', {}, { Origin: 'https://a.example' }),
      ]) {
        const came = answer.headers['access-control-allow-origin'];
        t.must(came === '*', 'Access-Control-Allow-Origin: *', String(came));
      }
    }),
    listed: promise`An origin that is listed may read answers.
      (${from})`({ setting: 'strict' }, async (t) => {
      for (const origin of ['https://site.example', 'https://other.example']) {
        const came = (await allowOrigin(t, origin))['access-control-allow-origin'];
        t.is(came, origin);
      }
    }),
    others: promise`Where origins are listed, no other may: neither one that looks alike nor \`null\`.
      (Attacks: CORS)`({ setting: 'strict' }, async (t) => {
      for (const origin of [
        'https://evil.example',
        'null',
        'http://site.example',
        'https://site.example.evil.test',
        'https://evilsite.example',
        'https://site.example:8443',
        'https://sub.site.example',
        'https://site.example/',
        'https://site.example, https://evil.example',
      ]) {
        const came = (await allowOrigin(t, origin))['access-control-allow-origin'];
        t.must(came === undefined, `nothing for ${origin}`, `Access-Control-Allow-Origin: ${came}`);
      }
    }),
    vary: promise`Where origins are listed, answers vary by Origin: a cache gives nobody another’s.
      (Fetch Standard: CORS protocol and HTTP caches)`({ setting: 'strict' }, async (t) => {
      const { vary = 'no Vary' } = await allowOrigin(t, 'https://site.example');
      t.matches(vary, /\borigin\b|\*/i);
    }),
    credentials: promise`No page may send its visitor’s cookies along.
      (Attacks: CORS)`({ needs: [] }, async (t) => {
      const origin = { Origin: 'https://evil.example' };
      const preflight = {
        ...origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Private-Network': 'true',
      };
      for (const answer of [
        await t.submit('promises-no-such-form', {}, origin),
        await t.request({ method: 'OPTIONS', path: t.paths.submit('contact'), headers: preflight }),
      ]) {
        const came = answer.headers['access-control-allow-credentials'];
        t.must(came !== 'true', 'no Access-Control-Allow-Credentials', String(came));
        t.is(answer.headers['access-control-allow-private-network'], undefined);
      }
    }),
    preflight: promise`A preflight lets a page post with the headers of htmx.
      (SPEC: HTML fragments for requests carrying
      HX-Request)`({ needs: ['cors', 'fragments'] }, async (t) => {
      const wanted = 'content-type,hx-current-url,hx-request,hx-target,hx-trigger';
      const answer = await t.request({
        method: 'OPTIONS',
        path: t.paths.submit('contact'),
        headers: {
          Origin: 'https://a.example',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': wanted,
        },
      });
      t.must(answer.status < 300, 'status 2xx');
      const may = (answer.headers['access-control-allow-headers'] ?? '').toLowerCase().split(/\s*,\s*/);
      const missing = wanted.split(',').filter((name) => !may.includes(name) && !may.includes('*'));
      t.must(missing.length === 0, wanted, `without ${missing}`);
      const methods = answer.headers['access-control-allow-methods'] ?? '';
      t.must(/\bPOST\b/.test(methods) || methods === '', 'POST', methods);
    }),
    reading: promise`An origin that may not read answers may send: forms work without a script.
      (SPEC: Configuration sources and caching)`({ setting: 'strict' }, async (t) =>
      t.arrives('contact', t.values, { Origin: 'https://evil.example' }),
    ),
  },
};
