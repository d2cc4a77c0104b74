import { configSecret } from '../forms.ts';
import { type Area, promise } from '../promise.ts';
import type { Trial } from '../trial.ts';

/** Submits values, and returns the values of the form's only POST, by name. */
async function posted(t: Trial, values: Readonly<Record<string, string>>, form: 'mapped' | 'lead' | 'post') {
  await t.arrives(form, values);
  const post = t.posts()[0];
  return { post, values: Object.fromEntries(post?.values ?? []), shown: post?.body ?? 'nothing' };
}

const rules = 'SPEC: Output';

export const outputs: Area = {
  from: 'SPEC: Output types',
  forms: ['mapped'],
  promises: {
    urlencoded: promise`\`http_post\` posts
      application/x-www-form-urlencoded.`({ forms: ['post'] }, async (t) => {
      const { post } = await posted(t, t.values, 'post');
      const type = post?.headers['content-type'] ?? 'none';
      t.is(post?.method, 'POST');
      t.matches(type, /^application\/x-www-form-urlencoded\b/);
    }),
    renamed: promise`The mapping renames fields, and sends no others. (${rules})`(async (t) => {
      const { values, shown } = await posted(t, t.values, 'mapped');
      const isRight = values.full_name === t.mark && !('name' in values) && !('page' in values);
      t.must(isRight && values.note === 'Hello', `full_name=${t.mark}&note=Hello, no name, no page`, shown);
    }),
    fixed: promise`Fixed values are always sent, and win over mapped ones of the same key.
      (${rules})`(async (t) => {
      const { values, post, shown } = await posted(t, t.values, 'mapped');
      const replies = post?.values.filter(([name]) => name === 'reply').map(([, value]) => value);
      const isRight = values.source === 'site' && String(replies) === 'fixed@promises.test';
      t.must(isRight, 'source=site&reply=fixed@promises.test', shown);
    }),
    empty: promise`Values that are there but empty are left out. (${rules})`(async (t) => {
      const { values, shown } = await posted(t, { ...t.values, message: '' }, 'mapped');
      t.must(!('note' in values) && !('nothing' in values), 'neither note nor nothing', shown);
    }),
    parameters: promise`A value stays one value: & and = in it add no parameter.
      (Attacks: parameter injection)`(async (t) => {
      const message = 'x&source=evil=1;y=2#%26z=3';
      const { values, shown } = await posted(t, { ...t.values, message }, 'mapped');
      t.must(values.note === message && values.source === 'site', `note is ${message}`, shown);
    }),
    lead: promise`\`crm_web2lead\` posts renamed fields and fixed values as \`http_post\`
      does.`({ forms: ['lead'] }, async (t) => {
      const { values, shown } = await posted(t, t.values, 'lead');
      t.must(values.last_name === t.mark && values.oid === '00D', `last_name=${t.mark}&oid=00D`, shown);
    }),
    headers: promise`Headers of the config are sent, rendered, with secrets from the environment.
      (SPEC: Authentication)`({ forms: ['headers'] }, async (t) => {
      await t.arrives('headers', t.values);
      const { authorization, 'x-name': name } = t.posts()[0]?.headers ?? {};
      t.is(authorization, `Bearer ${configSecret}`);
      t.is(name, t.mark);
    }),
    own_content_type: promise`The Content-Type of an HTTP output cannot be
      overridden.`({ forms: ['headers'] }, async (t) => {
      await t.arrives('headers', t.values);
      const { rawHeaders = [] } = t.posts()[0] ?? {};
      const types = rawHeaders.filter(
        (_, n) => n % 2 === 1 && /^content-type$/i.test(rawHeaders[n - 1] ?? ''),
      );
      t.is(types, 'application/x-www-form-urlencoded');
    }),
    header_injection: promise`A line break in a value writes no header of its own.
      (Attacks: header injection)`({ forms: ['headers'] }, async (t) => {
      for (const mark of ['\r\n', '\n', '\r', '\u560d\u560a', '\0']) {
        const answer = await t.submit('headers', { ...t.values, name: `${t.mark}${mark}X-Evil: 1` });
        t.must(answer.status < 500, 'delivered or refused');
      }
      t.untilTheEnd(() => {
        t.is(t.posts().filter(({ headers }) => 'x-evil' in headers).length, 0);
      });
    }),
    forbidden: promise`A receiver that answers 403 has not taken the submission: the visitor gets 500, not
      thanks. (What owners fear: silent success)`({ forms: ['refused_by_receiver'] }, async (t) => {
      t.status(await t.submit('refused_by_receiver', t.values), 500);
      t.must(t.tries().length > 0, 'the receiver is asked', 'it was not');
    }),
    tried_again: promise`A receiver that answers 503 once gets the submission at another try.
      (What owners fear: a real lead dropped)`({ forms: ['flaky'] }, async (t) =>
      t.arrives('flaky', t.values),
    ),
    idempotency_key: promise`Another try bears the same Idempotency-Key, and another submission another one.
      (IETF draft: Idempotency-Key)`({ forms: ['flaky'] }, async (t) => {
      t.taken(await t.submit('flaky', t.values));
      t.taken(await t.submit('flaky', { ...t.values, message: 'another' }));
      await t.delivered(2);
      const keys = t.tries().map(({ headers }) => String(headers['idempotency-key']));
      const isRight = keys.length === 4 && keys[0] === keys[1] && keys[2] === keys[3] && keys[0] !== keys[2];
      t.must(isRight && keys[0] !== 'undefined', 'A, A, B, B', keys.join(', '));
    }),
  },
};
