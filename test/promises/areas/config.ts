import type { FormDeclared } from '../adapter.ts';
import { send } from '../client.ts';
import type { Area, ProductPromise } from '../promise.ts';
import { urlencoded } from '../trial.ts';

const output = { type: 'http_post', url: 'http://127.0.0.1:1/', mapping: { name: 'name' } } as const;
const good: FormDeclared = { fields: [{ name: 'name' }], outputs: [output] };
const withStatic = (text: string): FormDeclared => ({
  ...good,
  outputs: [{ ...output, static: { x: text } }],
});

/** A product with such a form refuses to start, or answers 500 to every request for it. */
const refuses = (what: string, wrong: FormDeclared): ProductPromise => ({
  says: `A config with ${what} is not served: no form of it takes a submission.`,
  from: 'SPEC: Config-parse-time rejections',
  needs: ['config_checks', 'http_post'],
  check: async (t) => {
    const came = await t.startWith({ contact: good, wrong }, async (url) => {
      const submit = { method: 'POST', headers: { 'content-type': urlencoded }, body: 'name=Ann' };
      const requests = [
        { ...submit, path: t.paths.submit('contact') },
        { ...submit, path: t.paths.submit('wrong') },
        ...(t.offers('form_html') ? [{ method: 'GET', path: t.paths.form('contact') }] : []),
      ];
      return Promise.all(requests.map(async (request) => (await send(url, request, t.patienceMs)).status));
    });
    // Not starting counts as refusing.
    if (came === undefined) return;
    t.must(
      came.every((status) => status === 500),
      'no start, or 500',
      came.join(', '),
    );
  },
});

export const config: Area = {
  promises: {
    on_error: refuses('another `on_error` than fail or continue', {
      ...good,
      outputs: [{ ...output, on_error: 'ignore' }],
    }),
    honeypot: refuses('a honeypot that is a declared field', { ...good, spam: { honeypot: 'name' } }),
    form_ttl: refuses('a `form_ttl` that does not exceed `min_fill_seconds`', {
      ...good,
      spam: { min_fill_seconds: 5, form_ttl: '5s' },
    }),
    token_field: refuses('a `token_field` that is a declared field', {
      ...good,
      spam: { min_fill_seconds: 1, token_field: 'name' },
    }),
    template: refuses('a template that is cut off', withStatic('{{ upper .fields.name')),
    function: refuses('a function that there is not', withStatic('{{ exec "id" }}')),
  },
};
