import { type Area, promise } from '../promise.ts';
import { urlencoded } from '../trial.ts';

export const methods: Area = {
  promises: {
    not_allowed: promise`Other methods are answered with 405 and what is allowed, and deliver nothing.
      (RFC 9110, 15.5.6)`(async (t) => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        const answer = await t.request({
          method,
          path: t.paths.submit('contact'),
          ...(method !== 'GET' && { headers: { 'content-type': urlencoded }, body: `name=${t.mark}` }),
        });
        t.status(answer, 405);
        t.matches(answer.headers.allow, /\bPOST\b/);
      }
      await t.undelivered();
    }),
    trace: promise`TRACE says nothing back. (Attacks: cross-site tracing)`(async (t) => {
      const answer = await t.request({
        method: 'TRACE',
        path: t.paths.submit('contact'),
        headers: { Cookie: `secret=${t.mark}` },
      });
      t.must(answer.status >= 400 && !answer.text.includes(t.mark), 'a refusal without what was sent');
    }),
    connect: promise`CONNECT opens no tunnel. (Attacks: open proxy)`(async (t) => {
      const answers = await t.wireToEnd(
        'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\nConnection: close\r\n\r\n',
      );
      t.must(
        answers.every(({ status }) => status >= 400),
        'no 2xx',
      );
    }),
    options: promise`OPTIONS is answered, and says what is allowed. (RFC 9110, 9.3.7)`(async (t) => {
      const answer = await t.request({ method: 'OPTIONS', path: t.paths.submit('contact') });
      t.must(answer.status < 300, 'status 2xx');
      const { allow, 'access-control-allow-methods': methods } = answer.headers;
      t.must(/\bPOST\b/.test(`${allow} ${methods}`), 'POST', `${allow} ${methods}`);
    }),
    overridden: promise`No header changes method or path. (Attacks: path tricks)`(async (t) => {
      const path = t.paths.submit('contact');
      const headers = { 'content-type': urlencoded, 'X-Original-URL': path, 'X-Rewrite-URL': path };
      const elsewhere = await t.request({
        method: 'POST',
        path: '/promises',
        headers,
        body: `name=${t.mark}`,
      });
      t.must(elsewhere.status >= 400, 'a refusal');
      const override = { 'X-HTTP-Method-Override': 'POST', 'X-HTTP-Method': 'POST' };
      const get = await t.request({ method: 'GET', path: `${path}?name=${t.mark}`, headers: override });
      t.must(get.status >= 400, 'a refusal');
      await t.undelivered();
    }),
    dots: promise`Dots, double slashes and encoded slashes lead to no form.
      (Attacks: path tricks in form names)`(async (t) => {
      const path = t.paths.submit('contact');
      const at = path.lastIndexOf('/');
      const [before, form] = [path.slice(0, at), path.slice(at + 1)];
      for (const trick of [
        ...[`${before}/./${form}`, `${before}/x/../${form}`, `${before}//${form}`, `/x/..${path}`],
        ...[`${before}/%2e/${form}`, `${before}/..%2f${before.split('/').at(-1)}%2f${form}`],
        ...[`${before}%2f${form}`, `${path}/`, `${path}%2f`, `${path};v=1`, `${path}.json`],
      ]) {
        const answer = await t.request({
          method: 'POST',
          path: trick,
          headers: { 'content-type': urlencoded },
          body: `name=${t.mark}`,
        });
        t.must(answer.status >= 400 && answer.status < 500, 'status 4xx');
      }
      await t.undelivered();
    }),
    names: promise`A form’s name is matched exactly: other case, spaces, a NUL or bytes that are no UTF-8 name
      none. (Attacks: path tricks in form names)`(async (t) => {
      for (const name of [
        ...['Contact', 'contact%20', 'contact%00', '%00contact', 'contact%0d%0a', '%ff', '%c0%afcontact'],
        '%2563ontact',
      ]) {
        const answer = await t.submit(name, t.values);
        t.must(answer.status === 404 || answer.status === 400, 'status 404 or 400');
      }
      await t.undelivered();
    }),
    encoded: promise`A form’s name may be percent-encoded. (RFC 3986, 2.3)`(async (t) =>
      t.arrives('%63ontact', t.values),
    ),
    inherited: promise`Names that every object has are no forms.
      (Attacks: prototype pollution)`(async (t) => {
      for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
        t.status(await t.submit(name, t.values), 404);
        t.status(await t.getForm(name), 404);
      }
    }),
    query: promise`What stands in the query of a submission is no value of it.
      (SPEC: POST /api/v1/submit/{form})`({ needs: ['validation'] }, async (t) => {
      t.status(await t.submit(`contact?name=${t.mark}`, { message: 'x' }), 422);
      await t.undelivered();
    }),
  },
};
