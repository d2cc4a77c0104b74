/** Broken products, each in one way, and the naive one. */

import type { Adapter, Asked, FormDeclared, OutputDeclared } from '../../packages/conformance/src/adapter.ts';
import { unescaped } from '../../packages/conformance/src/markup.ts';
import type { HttpRequest } from '../../packages/relay/src/base/effects.ts';
import { naiveProduct } from './naive_product.ts';
import { type Came, type Faults, type Passing, relayProduct } from './relay_product.ts';

const withForms =
  (change: (form: FormDeclared, name: string) => FormDeclared) =>
  (asked: Asked): Asked => ({
    ...asked,
    forms: Object.fromEntries(Object.entries(asked.forms).map(([name, form]) => [name, change(form, name)])),
  });

const withOutputs = (
  change: (output: OutputDeclared, at: number, all: readonly OutputDeclared[]) => readonly OutputDeclared[],
) => withForms((form) => ({ ...form, outputs: form.outputs.flatMap(change) }));

const withHeaders = (answer: Came, headers: Readonly<Record<string, string>>): Came => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});

const without = (answer: Came, ...names: readonly string[]): Came => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !names.includes(name))),
});

const withText = (answer: Came, text: string): Came => ({ ...answer, text });

const isHtml = ({ headers }: Came) => /html/.test(headers['content-type'] ?? '');

const faults: Readonly<Record<string, Faults>> = {
  'answers every mistake with thanks': {
    answer: (answer) => (answer.status < 400 ? answer : { ...answer, status: 200, text: '{"message":"ok"}' }),
  },
  'answers every submission with an error': {
    answer: (answer, { method }) =>
      method === 'POST' ? { ...answer, status: 500, text: '{"error":"no"}' } : answer,
  },
  'answers every mistake with 500 and where it happened': {
    answer: (answer) =>
      answer.status < 400
        ? answer
        : { ...answer, status: 500, text: 'Error: no\n    at handle (/srv/app.js:1:2)' },
  },
  'thanks first, and delivers nothing': { post: () => undefined, mail: () => undefined },
  'delivers everything twice': {
    asked: withOutputs((output) => [output, output]),
  },
  'delivers to the first output alone': {
    asked: withForms((form) => ({ ...form, outputs: form.outputs.slice(0, 1) })),
  },
  'delivers to the last output alone': {
    asked: withForms((form) => ({ ...form, outputs: form.outputs.slice(-1) })),
  },
  'mixes up forms': {
    request: (request) => ({
      ...request,
      path: request.path.replace(/submit\/(post|contact)$/, 'submit/first_fails'),
    }),
  },
  'answers as text': { answer: (answer) => withHeaders(answer, { 'content-type': 'text/plain' }) },
  'knows any form': {
    request: (request) => ({
      ...request,
      path: request.path.replace(/\/[^/?]*(no-such-form|%[0-9a-fA-F]{2})[^/?]*/, '/contact'),
    }),
  },
  'takes any type of body': {
    request: (request) => ({
      ...request,
      headers: {
        ...request.headers,
        'content-type': 'application/x-www-form-urlencoded',
        'content-encoding': 'identity',
      },
      body: request.body.replaceAll(/%(?![0-9a-f]{2})|%(FF|C3%28|ED%A0%80|C0%80)/gi, '%3F'),
    }),
  },
  'wants an exact Content-Type': {
    request: (request) =>
      request.headers['content-type']?.includes(';')
        ? { ...request, headers: { ...request.headers, 'content-type': 'text/plain' } }
        : request,
  },
  'reads bodies as Latin-1': {
    post: (request) => ({
      ...request,
      body: new URLSearchParams(
        [...new URLSearchParams(request.body)].map(([name, value]): [string, string] => [
          name,
          Buffer.from(value).toString('latin1'),
        ]),
      ).toString(),
    }),
    mail: (message) => ({
      ...message,
      text: Buffer.from(message.text).toString('latin1'),
      subject: Buffer.from(message.subject).toString('latin1'),
    }),
  },
  'ends text at a NUL': {
    post: (request) => ({ ...request, body: request.body.replaceAll(/%00[^&]*/g, '') }),
  },
  'keeps the last of several values': {
    post: (request) => ({
      ...request,
      body: new URLSearchParams(Object.fromEntries(new URLSearchParams(request.body))).toString(),
    }),
    mail: (message) => ({
      ...message,
      text: message.text.replaceAll(/^(\w+)=.*\n(?=\1=)/gm, ''),
    }),
  },
  'delivers what nobody declared': {
    post: (request) => ({
      ...request,
      body: `${request.body}&is_admin=undeclared&website=&__proto__=polluted`,
    }),
    mail: (message) => ({ ...message, text: `${message.text}\nwebsite=` }),
  },
  'loses every tenth submission': (() => {
    let n = 0;
    return {
      post: (request: HttpRequest) => {
        n += 1;
        return n % 10 === 0 ? undefined : request;
      },
    };
  })(),
  'checks no field': {
    asked: withForms((form) => ({
      ...form,
      fields: form.fields.map(({ name }) => ({ name, type: 'textarea' })),
    })),
  },
  'requires every field': {
    asked: withForms((form) => ({
      ...form,
      fields: form.fields.map((field) => ({ ...field, required: true })),
    })),
  },
  'wants addresses of letters': {
    request: (request) => ({
      ...request,
      body: request.body.replaceAll(/email=[^&]*(%2B|%27|%C3|localhost)[^&]*/g, 'email=no'),
    }),
  },
  'cuts long values': {
    request: (request) => ({ ...request, body: request.body.replaceAll(/x{5000,}/g, 'xxx') }),
  },
  'has a word filter': {
    answer: (answer, { body }) => (/DROP\+TABLE|passwd/.test(body) ? { ...answer, status: 422 } : answer),
  },
  'writes templates by itself': {
    asked: withOutputs((output) => [
      {
        ...output,
        subject: output.subject?.replace('.fields.name', '.form.id'),
        ...(output.static && {
          static: Object.fromEntries(
            Object.entries(output.static).map(([key, text]) => [
              key,
              { at: 'today', absent: '<undefined>', environment: '{PATH=/bin}', unknown: '<no value>' }[
                key
              ] ??
                text
                  .replace(/\{\{ (trim|lower|upper|default "nobody") /, '{{ ')
                  .replace('"+"', '", "')
                  .replace('.form.id', '.fields.page'),
            ]),
          ),
        }),
      },
    ]),
  },
  'always writes the default': {
    asked: withOutputs((output) => [
      {
        ...output,
        ...(output.static?.default && {
          static: { ...output.static, default: 'nobody', known: '{{ env "HOME" }}' },
        }),
      },
    ]),
  },
  'escapes what it delivers': {
    post: (request) => ({ ...request, body: request.body.replaceAll('%3C', '%26lt%3B') }),
  },
  'renders submitted templates': {
    post: (request) => ({ ...request, body: request.body.replaceAll(/%7B%7B\+env[^}]*?%7D%7D/g, 'S3CRET') }),
  },
  'sends no headers of the config': {
    asked: withOutputs((output) => [{ ...output, headers: {} }]),
  },
  'maps nothing': {
    asked: withOutputs((output) => [
      {
        ...output,
        ...(output.mapping && {
          mapping: { name: 'name', email: 'email', message: 'message', page: 'page' },
          static: {},
        }),
      },
    ]),
  },
  'sends empty values, too': {
    post: (request) => ({ ...request, body: `${request.body}&note=&nothing=` }),
  },
  'posts JSON': {
    post: (request) => ({ ...request, headers: { ...request.headers, 'content-type': 'application/json' } }),
  },
  'makes a new Idempotency-Key for each try': (() => {
    let n = 0;
    return {
      post: (request: HttpRequest) => {
        n += 1;
        return { ...request, headers: { ...request.headers, 'idempotency-key': `${n}` } };
      },
    };
  })(),
  'never tries again': {
    asked: withOutputs((output) => [{ ...output, ...(output.type !== 'smtp' && { retries: 0 }) }]),
  },
  'tolerates no failure': {
    asked: withOutputs(({ on_error: _, ...output }) => [output]),
  },
  'tolerates every failure': {
    asked: withOutputs((output) => [{ ...output, on_error: 'continue' }]),
  },
  'leaves out output types that it does not know': {
    asked: withOutputs((output) => (output.type === 'carrier_pigeon' ? [] : [output])),
  },
  'serves one after the other': (() => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      answer: (answer: Came, { path }: Passing) => {
        // What was asked first is answered first.
        const mine = last.then(() => answer);
        if (path.endsWith('/hanging'))
          last = last.then(() => new Promise((resolve) => setTimeout(resolve, 3_000)));
        return mine;
      },
      request: (request: Passing) => {
        if (request.path.endsWith('/hanging'))
          last = last.then(() => new Promise((resolve) => setTimeout(resolve, 1_600)));
        return request;
      },
    };
  })(),
  'mails from anybody, to everybody, as HTML': {
    mail: (message) =>
      ({
        ...message,
        from: 'someone@conformance.test',
        to: [...message.to, 'archive@conformance.test'],
        html: `<p>${message.text}</p>`,
        text: message.text.split('\n').reverse().join('\n'),
        credentials: message.credentials ? undefined : { kind: 'password', username: 'a', password: 'b' },
      }) as typeof message,
  },
  'mails to the owner alone, under one subject': {
    mail: (message) => ({ ...message, to: message.to.slice(0, 1), subject: 'A submission' }),
  },
  'refuses who falls into the trap': {
    answer: (answer, { body }) =>
      /website=[^&]|_ts=/.test(body) ? { ...answer, status: 403, text: '{"error":"bot"}' } : answer,
  },
  'tells the bot by a header': {
    answer: (answer, { body }) =>
      /website=[^&]/.test(body) || Math.random() < 0.5
        ? withHeaders(answer, { 'x-spam': `${Math.random()}` })
        : withHeaders(answer, { 'x-ham': `${Math.random()}` }),
  },
  'has no honeypot': {
    asked: withForms(({ spam, ...form }) => ({
      ...form,
      ...(spam && { spam: { ...spam, honeypot: undefined } }),
    })),
  },
  'has a honeypot in every form': {
    asked: withForms((form) => ({ ...form, spam: { ...form.spam, honeypot: 'website' } })),
  },
  'has no min-fill': {
    asked: withForms((form) => ({ ...form, spam: { honeypot: form.spam?.honeypot } })),
  },
  'has tokens without end': {
    asked: withForms((form) => ({
      ...form,
      ...(form.spam?.form_ttl && { spam: { ...form.spam, form_ttl: '48h' } }),
    })),
  },
  'has tokens that last a moment': {
    asked: withForms((form) => ({
      ...form,
      ...(form.spam?.form_ttl && { spam: { ...form.spam, form_ttl: '1001ms' } }),
    })),
  },
  'takes any token of any form': {
    asked: withForms((form) => ({ ...form, spam: { honeypot: form.spam?.honeypot } })),
    answer: (answer, { path }) =>
      path.includes('/token/') || isHtml(answer)
        ? withText(answer, `${answer.text}<input type="hidden" name="_ts" value="1.2.3">`)
        : answer,
  },
  'has a secret of its own': { asked: (asked) => ({ ...asked, tokenSecret: 'built in' }) },
  'needs a secret for every form': {
    answer: (answer) => answer,
    asked: (asked) =>
      asked.tokenSecret === ''
        ? withForms((form) => ({ ...form, spam: { ...form.spam, min_fill_seconds: 1, form_ttl: '1h' } }))(
            asked,
          )
        : asked,
  },
  'asks no captcha': { asked: withForms(({ captcha: _, ...form }) => form) },
  'asks a captcha that nobody solves': {
    asked: withForms((form) => ({
      ...form,
      ...(form.captcha && { captcha: { ...form.captcha, verify_url: 'http://127.0.0.1:1/' } }),
    })),
  },
  'looks at fields before the captcha': {
    answer: (answer, { path, body }) =>
      path.includes('/guarded') && !body.includes('name=') ? { ...answer, status: 422 } : answer,
  },
  'writes what was typed as markup': {
    answer: (answer) => (isHtml(answer) ? withText(answer, unescaped(answer.text)) : answer),
  },
  'forgets what was typed': {
    answer: (answer) =>
      isHtml(answer)
        ? withText(answer, answer.text.replaceAll(/ value="[^"]*"|(?<=<textarea[^>]*>)[^<]*/g, ''))
        : answer,
  },
  'marks no field': {
    answer: (answer) =>
      withText(answer, answer.text.replaceAll(/ aria-(invalid|describedby)="[^"]*"| required/g, '')),
  },
  'describes no field': {
    answer: (answer) => withText(answer, answer.text.replaceAll('class="field-error"', 'class="error"')),
  },
  'shows no words': {
    answer: (answer) =>
      isHtml(answer)
        ? withText(answer, answer.text.replaceAll(/form-(confirmation|errors)/g, 'box'))
        : answer,
  },
  'says the same to all': {
    answer: (answer) =>
      withText(answer, answer.text.replaceAll(/Merci[^<]*/g, 'OK').replaceAll('Thank you.', 'Danke.')),
  },
  'speaks HTML to everybody': {
    request: (request) => ({ ...request, headers: { ...request.headers, 'hx-request': 'true' } }),
  },
  'does not know htmx': {
    request: ({ headers: { 'hx-request': _, ...headers }, ...request }) => ({ ...request, headers }),
  },
  'keeps the token of a refused form': {
    answer: (answer, { body }) =>
      withText(
        answer,
        answer.text.replaceAll(/(name="_ts" value=")[^"]*/g, `$1${/_ts=([^&]*)/.exec(body)?.[1] ?? ''}`),
      ),
  },
  'sends forms elsewhere': {
    answer: (answer) => withText(answer, answer.text.replaceAll(/action="[^"]*"/g, 'action="/elsewhere"')),
  },
  'believes who says that it is somebody': {
    answer: (answer, { headers }) =>
      withText(answer, answer.text.replaceAll('action="', `action="//${headers['x-forwarded-host']}`)),
  },
  'fills in whatever a link says': {
    answer: (answer, { path }) =>
      path.includes('planted')
        ? withText(answer, `${answer.text}<input name="_ts" value="planted">`)
        : answer,
  },
  'has no HEAD, OPTIONS or Allow': {
    answer: (answer, { method }) =>
      method === 'HEAD' || method === 'OPTIONS' ? { ...answer, status: 405 } : without(answer, 'allow'),
  },
  'lets every page read its answers, with cookies': {
    answer: (answer, { headers }) =>
      without(
        withHeaders(answer, {
          'access-control-allow-origin': headers.origin ?? 'null',
          'access-control-allow-credentials': 'true',
        }),
        'vary',
        'access-control-allow-headers',
      ),
  },
  'lets no page read its answers': {
    answer: (answer) => without(answer, 'access-control-allow-origin'),
  },
  'refuses pages that may not read': {
    answer: (answer, { headers }) =>
      headers.origin === 'https://evil.example' ? { ...answer, status: 403 } : answer,
  },
  'has no throttle': { asked: (asked) => ({ ...asked, throttle: { rate: 1_000, burst: 1_000 } }) },
  'throttles without a word': {
    answer: (answer) => (answer.status === 429 ? without(withText(answer, ''), 'retry-after') : answer),
  },
  'throttles for good': (() => {
    let isOver = false;
    return {
      answer: (answer: Came) => {
        isOver ||= answer.status === 429;
        return isOver ? { ...answer, status: 429 } : answer;
      },
    };
  })(),
  'follows headers and queries': {
    request: (request) => ({
      ...request,
      path:
        request.headers['x-original-url'] ??
        (request.headers['x-http-method-override'] ? `${request.path}&get` : request.path),
      method: request.headers['x-http-method-override'] ?? request.method,
      body: `${request.body}${request.path.includes('?') ? `&${request.path.split('?')[1]}` : ''}`,
    }),
  },
  'tidies paths up': {
    request: (request) => ({
      ...request,
      path: new URL(
        request.path.replaceAll(/%2f/gi, '/').replaceAll(/(\/|;.*|\.json)$/g, ''),
        'http://x',
      ).pathname.replaceAll(/\/{2,}/g, '/'),
    }),
  },
  'decodes no names': {
    request: (request) => ({ ...request, path: request.path.replaceAll('%63', 'percent') }),
  },
  'says back what it was told': {
    answer: (answer, request) =>
      answer.status < 400 ? answer : withText(answer, `{"error":${JSON.stringify(JSON.stringify(request))}}`),
  },
  'tells everything about failures': {
    answer: (answer, { path }) =>
      path.includes('/telling')
        ? withText(answer, `${answer.text} S3CRET-of-the-receiver S3CRET-of-the-config S3CRET-of-the-mailbox`)
        : answer,
  },
  'fails without a word': { answer: (answer) => (answer.status === 500 ? withText(answer, '') : answer) },
  'names itself, sets cookies, lets browsers guess and caches store': {
    answer: (answer) =>
      without(
        withHeaders(answer, { 'x-powered-by': 'Relay 1.2', 'set-cookie': 'a=b' }),
        'x-content-type-options',
        'cache-control',
      ),
  },
  'leads visitors where a field says': {
    answer: (answer, { body }) =>
      body.includes('_next')
        ? { ...withHeaders(answer, { location: 'https://evil.test/' }), status: 303 }
        : answer,
  },
  'stumbles over names that objects have': {
    answer: (answer, { body, path }) =>
      /__proto__|constructor/.test(body + path) ? { ...answer, status: 500 } : answer,
  },
  'is slow where there are many fields': {
    answer: async (answer, { body }) => {
      if (body.split('&').length > 5_000) await new Promise((resolve) => setTimeout(resolve, 1_100));
      return answer;
    },
  },
  'takes small bodies alone': {
    answer: (answer, { body }) => (body.length > 9_000 ? { ...answer, status: 413 } : answer),
  },
  'takes an empty trap for a filled one': {
    request: (request) => ({ ...request, body: request.body.replace(/website=(?=&|$)/, 'website=x') }),
  },
};

const noCommand: Adapter = {
  ...relayProduct(),
  name: 'a command that says nothing',
  run: async () => ({ code: 0, stdout: '', stderr: '' }),
};

export const brokenProducts: readonly Adapter[] = [
  { ...naiveProduct, name: 'naive' },
  noCommand,
  ...Object.entries(faults).map(([name, one]) => ({ ...relayProduct(one), name })),
];
