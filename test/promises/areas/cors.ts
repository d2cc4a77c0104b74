import type { Area } from '../promise.ts';
import type { Trial } from '../trial.ts';

const from = 'SPEC: Authentication';
const needs = ['cors'] as const;

const allowOrigin = async (t: Trial, origin: string) => {
  return (await t.submit('contact', { ...t.values, name: '' }, { Origin: origin })).headers;
};

export const cors: Area = {
  needs,
  promises: {
    everybody: {
      says: 'By default pages of every origin may read answers, refusals too.',
      from,
      check: async (t) => {
        for (const answer of [
          await t.submit('contact', t.values, { Origin: 'https://a.example' }),
          await t.submit('promises-no-such-form', {}, { Origin: 'https://a.example' }),
        ]) {
          const came = answer.headers['access-control-allow-origin'];
          t.must(came === '*', 'Access-Control-Allow-Origin: *', String(came));
        }
      },
    },
    listed: {
      says: 'An origin that is listed may read answers.',
      from,
      setting: 'strict',
      check: async (t) => {
        for (const origin of ['https://site.example', 'https://other.example']) {
          const came = (await allowOrigin(t, origin))['access-control-allow-origin'];
          t.is(came, origin);
        }
      },
    },
    others: {
      says: 'Where origins are listed, no other may: neither one that looks alike nor `null`.',
      from: 'Attacks: CORS',
      setting: 'strict',
      check: async (t) => {
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
      },
    },
    vary: {
      says: 'Where origins are listed, answers vary by Origin: a cache gives nobody another’s.',
      from: 'Fetch Standard: CORS protocol and HTTP caches',
      setting: 'strict',
      check: async (t) => {
        const { vary = 'no Vary' } = await allowOrigin(t, 'https://site.example');
        t.matches(vary, /\borigin\b|\*/i);
      },
    },
    credentials: {
      says: 'No page may send its visitor’s cookies along.',
      needs: [],
      from: 'Attacks: CORS',
      check: async (t) => {
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
      },
    },
    preflight: {
      says: 'A preflight lets a page post with the headers of htmx.',
      from: 'SPEC: HTML fragments for requests carrying HX-Request',
      needs: ['cors', 'fragments'],
      check: async (t) => {
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
      },
    },
    reading: {
      says: 'An origin that may not read answers may send: forms work without a script.',
      from: 'SPEC: Configuration sources and caching',
      setting: 'strict',
      check: async (t) => t.arrives('contact', t.values, { Origin: 'https://evil.example' }),
    },
  },
};
