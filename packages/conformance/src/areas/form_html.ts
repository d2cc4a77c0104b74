import { controlIn, tagsIn } from '../markup.ts';
import type { Area } from '../promise.ts';
import { pause } from '../trial.ts';

const needs = ['form_html'] as const;

export const formHtml: Area = {
  id: 'form',
  name: 'The form as HTML',
  from: 'SPEC: GET /api/v1/form/{form}',
  promises: {
    whole: {
      says: 'GET …/form/{form} returns a <form> in text/html that posts to where submissions go.',
      reach: 'form',
      needs,
      check: async (t) => {
        const answer = await t.getForm(t.target);
        t.status(answer, 200);
        t.must(/^text\/html\b/.test(answer.headers['content-type'] ?? ''), 'text/html');
        const form = tagsIn(answer.text).find(({ tag }) => tag === 'form')?.attributes;
        const action = new URL(form?.action ?? '', new URL(t.paths.form(t.target), t.origin)).pathname;
        t.must(form?.method?.toLowerCase() === 'post', 'method="post"', String(form?.method));
        t.must(action.endsWith(t.paths.submit(t.target)), t.paths.submit(t.target), action);
      },
    },
    controls: {
      says: 'It has a control of the right kind for each field, and says which are required.',
      from: 'SPEC: Field',
      needs,
      check: async (t) => {
        const { text } = await t.getForm('contact');
        const shown = ['name', 'email', 'message', 'page'].map((name) => {
          const control = controlIn(text, name);
          return control?.tag === 'input' ? control.attributes.type : control?.tag;
        });
        t.must(
          String(shown) === 'text,email,textarea,hidden',
          'text, email, textarea, hidden',
          String(shown),
        );
        const attributes = controlIn(text, 'name')?.attributes ?? {};
        t.must(
          'required' in attributes || attributes['aria-required'] === 'true',
          'name is required',
          'it is not',
        );
      },
    },
    refilled: {
      says: 'Its fields are filled from the query.',
      needs,
      check: async (t) => {
        const { text } = await t.getForm('contact', '?name=Ann+%26+Bo&message=Hi');
        const values = ['name', 'message'].map((name) => controlIn(text, name)?.value);
        t.must(String(values) === 'Ann & Bo,Hi', 'Ann & Bo, Hi', String(values));
      },
    },
    escaped: {
      says: 'Markup in the query is text in the form.',
      from: 'Attacks: script injection',
      needs,
      check: async (t) => {
        const attack = `"'><script>alert(1)</script></textarea><img src=x onerror=alert(1)>`;
        const query = `?name=${encodeURIComponent(attack)}&message=${encodeURIComponent(attack)}&${encodeURIComponent(attack)}=1`;
        const { text } = await t.getForm('contact', query);
        t.must(!/<script>alert|<img/i.test(text), 'no element of the visitor’s');
        const values = ['name', 'message'].map((name) => controlIn(text, name)?.value);
        t.must(
          values.every((value) => value === attack),
          attack,
          String(values),
        );
      },
    },
    token: {
      says: 'It brings a fresh token, with which a submission is delivered.',
      needs,
      forms: ['timed'],
      check: async (t) => {
        const _ts = t.token(await t.getForm('timed'));
        await pause(1_100);
        await t.arrives('timed', { ...t.values, _ts });
      },
    },
    own_token: {
      says: 'The query sets neither the token nor the honeypot.',
      from: 'Attacks: a form that sends what its visitor cannot see',
      needs,
      forms: ['timed'],
      check: async (t) => {
        const { text } = await t.getForm('timed', '?_ts=planted&website=planted');
        t.must(!text.includes('planted'), 'neither of them in the form');
      },
    },
    unknown: {
      says: 'An unknown form is 404, for form and token.',
      from: 'SPEC: Errors',
      reach: 'anyone',
      check: async (t) => {
        t.status(await t.getForm('conformance-no-such-form'), 404);
        t.status(await t.getToken('conformance-no-such-form'), 404);
      },
    },
    host: {
      says: 'A Host header made up by somebody leads no form elsewhere.',
      from: 'Attacks: Host header',
      reach: 'form',
      needs,
      check: async (t) => {
        const headers = {
          'X-Forwarded-Host': 'evil.test',
          'X-Forwarded-Server': 'evil.test',
          Forwarded: 'host=evil.test',
        };
        const { text } = await t.getForm(t.target, '', headers);
        t.must(!text.includes('evil.test'), 'no evil.test');
      },
    },
    not_stored: {
      says: 'A form is not stored by caches between the relay and its visitor.',
      from: 'RFC 9111, 5.2.2',
      reach: 'form',
      needs,
      check: async (t) => {
        const { headers } = await t.getForm(t.target);
        const control = headers['cache-control'] ?? 'no Cache-Control';
        t.must(/no-store|no-cache|private|max-age=0/.test(control), 'no-store', control);
      },
    },
    head: {
      says: 'HEAD answers as GET does, without the body.',
      from: 'RFC 9110, 9.3.2',
      reach: 'form',
      needs,
      check: async (t) => {
        const answer = await t.request({ method: 'HEAD', path: t.paths.form(t.target) });
        t.status(answer, 200);
        t.must(answer.text === '', 'no body');
      },
    },
  },
};
