import { controlIn, tagsIn } from '../markup.ts';
import { type Area, promise } from '../promise.ts';
import { pause } from '../trial.ts';

const needs = ['form_html'] as const;

export const formHtml: Area = {
  from: 'SPEC: GET /api/v1/form/{form}',
  needs,
  promises: {
    whole: promise`GET …/form/{form} returns a <form> in text/html that posts to where submissions
      go.`(async (t) => {
      const answer = await t.getForm('contact');
      t.status(answer, 200);
      t.matches(answer.headers['content-type'], /^text\/html\b/);
      const form = tagsIn(answer.text).find(({ tag }) => tag === 'form')?.attributes;
      const action = new URL(form?.action ?? '', new URL(t.paths.form('contact'), t.origin)).pathname;
      t.is(form?.method?.toLowerCase(), 'post');
      t.must(action.endsWith(t.paths.submit('contact')), t.paths.submit('contact'), action);
    }),
    controls: promise`It has a control of the right kind for each field, and says which are required.
      (SPEC: Field)`(async (t) => {
      const { text } = await t.getForm('contact');
      const shown = ['name', 'email', 'message', 'page'].map((name) => {
        const control = controlIn(text, name);
        return control?.tag === 'input' ? control.attributes.type : control?.tag;
      });
      t.is(shown, 'text,email,textarea,hidden');
      const attributes = controlIn(text, 'name')?.attributes ?? {};
      t.must('required' in attributes || attributes['aria-required'] === 'true', 'name is required');
    }),
    refilled: promise`Its fields are filled from the query.`(async (t) => {
      const { text } = await t.getForm('contact', '?name=Ann+%26+Bo&message=Hi');
      const values = ['name', 'message'].map((name) => controlIn(text, name)?.value);
      t.is(values, 'Ann & Bo,Hi');
    }),
    escaped: promise`Markup in the query is text in the form. (Attacks: script injection)`(async (t) => {
      const attack = `"'><script>alert(1)</script></textarea><img src=x onerror=alert(1)>`;
      const query = `?name=${encodeURIComponent(attack)}&message=${encodeURIComponent(attack)}&${encodeURIComponent(attack)}=1`;
      const { text } = await t.getForm('contact', query);
      t.must(!/<script>alert|<img/i.test(text), 'no element of the visitor’s');
      const values = ['name', 'message'].map((name) => controlIn(text, name)?.value);
      t.is(values, [attack, attack]);
    }),
    token: promise`It brings a fresh token, with which a submission is
      delivered.`({ forms: ['timed'] }, async (t) => {
      const _ts = t.token(await t.getForm('timed'));
      await pause(1_100);
      await t.arrives('timed', { ...t.values, _ts });
    }),
    own_token: promise`The query sets neither the token nor the honeypot.
      (Attacks: a form that sends what its visitor cannot see)`({ forms: ['timed'] }, async (t) => {
      const { text } = await t.getForm('timed', '?_ts=planted&website=planted');
      t.has(text, '<form');
      t.lacks(text, 'planted');
    }),
    unknown: promise`An unknown form is 404, for form and token. (SPEC: Errors)`({ needs: [] }, async (t) => {
      t.status(await t.getForm('promises-no-such-form'), 404);
      t.status(await t.getToken('promises-no-such-form'), 404);
    }),
    host: promise`A Host header made up by somebody leads no form elsewhere.
      (Attacks: Host header)`(async (t) => {
      const headers = {
        'X-Forwarded-Host': 'evil.test',
        'X-Forwarded-Server': 'evil.test',
        Forwarded: 'host=evil.test',
      };
      const { text } = await t.getForm('contact', '', headers);
      t.has(text, '<form');
      t.lacks(text, 'evil.test');
    }),
    not_stored: promise`A form is not stored by caches between the relay and its visitor.
      (RFC 9111, 5.2.2)`(async (t) => {
      const { headers } = await t.getForm('contact');
      const control = headers['cache-control'] ?? 'no Cache-Control';
      t.matches(control, /no-store|no-cache|private|max-age=0/);
    }),
    head: promise`HEAD answers as GET does, without the body. (RFC 9110, 9.3.2)`(async (t) => {
      const answer = await t.request({ method: 'HEAD', path: t.paths.form('contact') });
      t.status(answer, 200);
      t.must(answer.text === '', 'no body');
    }),
  },
};
