import { wordsOf } from '../client.ts';
import { type Area, promise } from '../promise.ts';
import { encode, urlencoded } from '../trial.ts';

export const submissions: Area = {
  from: 'SPEC: POST /api/v1/submit/{form}',
  promises: {
    delivered: promise`What was taken has been delivered, once. (SPEC: What the service does)`(async (t) =>
      t.arrives('contact', t.values),
    ),
    before_the_answer: promise`A submission is delivered before its visitor is thanked: no success is silent
      about a failure.`(async (t) => {
      t.taken(await t.submit('contact', t.values));
      t.is(t.arrived().length, 1);
    }),
    message: promise`A taken submission is answered with 200 and {"message": …}.`(async (t) => {
      const answer = await t.submit('contact', t.values);
      t.status(answer, 200);
      t.must(wordsOf(answer, 'message') !== undefined, '{"message": "<text>"}');
    }),
    json: promise`Answers are JSON by default, and say so. (SPEC: Endpoints)`(async (t) => {
      for (const values of [t.values, {}]) {
        const { headers } = await t.submit('contact', values);
        const type = headers['content-type'] ?? 'no Content-Type';
        t.matches(type, /^application\/json\b/);
      }
    }),
    unknown_form: promise`A form that the config does not name is answered with 404 and {"error":
      …}.`(async (t) => {
      const answer = await t.submit('promises-no-such-form', t.values);
      t.status(answer, 404);
      t.must(wordsOf(answer, 'error') !== undefined, '{"error": "<text>"}');
    }),
    missing_name: promise`A missing form name is answered with 400.`(async (t) =>
      t.status(await t.submit('', t.values), 400),
    ),
    content_type: promise`Text, XML and anything that is no form is refused with 400, and not
      delivered.`(async (t) => {
      for (const type of ['text/plain', 'text/xml', 'application/octet-stream', `${urlencoded}ish`])
        t.status(await t.submit('contact', t.values, { 'content-type': type }), 400);
      await t.undelivered();
    }),
    no_content_type: promise`A body without a Content-Type is refused with 400, and not
      delivered.`(async (t) => {
      const body = encode(t.values);
      t.status(await t.request({ method: 'POST', path: t.paths.submit('contact'), body }), 400);
      await t.undelivered();
    }),
    charset: promise`The Content-Type may name its charset, in any case of letters.
      (RFC 9110, 8.3)`(async (t) => {
      for (const type of [
        `${urlencoded};charset=UTF-8`,
        'Application/X-WWW-Form-Urlencoded ; charset="utf-8"',
      ])
        t.taken(await t.submit('contact', t.values, { 'content-type': type }));
      await t.delivered(2);
    }),
    malformed: promise`A malformed percent sign is refused with 400, not guessed at.`(async (t) => {
      for (const tail of ['%', '%4', '%zz'])
        t.status(await t.submit('contact', `name=${t.mark}${tail}`), 400);
      await t.undelivered();
    }),
    invalid_utf8: promise`Bytes that are no UTF-8 are refused with 400, and never delivered as something else.
      (Attacks: invalid UTF-8)`(async (t) => {
      for (const bytes of ['%FF', '%C3%28', '%ED%A0%80', '%C0%80'])
        t.status(await t.submit('contact', `name=${t.mark}${bytes}`), 400);
      await t.undelivered();
    }),
    unicode: promise`Every character arrives as it was sent: accents, emoji, right-to-left, line breaks,
      quotes. (What owners fear: garbled names)`({ forms: ['post'] }, async (t) => {
      const message = 'Zoë Ångström 日本語 👩‍👩‍👧 שלום\r\nline "two" & <b> = + % \\ ;';
      await t.arrives('post', { ...t.values, message });
      const came = t.posts()[0]?.values.find(([name]) => name === 'message')?.[1];
      t.is(came, message);
    }),
    nul: promise`A NUL in a value is delivered or refused, and cuts off nothing.
      (Attacks: NUL)`({ forms: ['post'] }, async (t) => {
      const message = 'before\0after';
      const answer = await t.submit('post', { ...t.values, message });
      if (!t.isTaken(answer)) return void (await t.undelivered());
      await t.delivered(1);
      const came = t.posts()[0]?.values.find(([name]) => name === 'message')?.[1];
      t.matches(came, /after$/);
    }),
    several_values: promise`A field that is sent several times keeps all its values, in order.
      (SPEC: Field)`({ forms: ['post'] }, async (t) => {
      const sent = [
        ['name', t.mark],
        ['message', 'one'],
        ['message', 'two'],
        ['message', 'one'],
      ] as const;
      await t.arrives('post', sent);
      const came = t
        .posts()[0]
        ?.values.filter(([name]) => name === 'message')
        .map(([, value]) => value);
      t.is(came, 'one,two,one');
    }),
    undeclared: promise`A field that neither form nor mapping names is not delivered.
      (SPEC: Output)`(async (t) => {
      const one = await t.arrives('contact', { ...t.values, is_admin: 'undeclared' });
      t.lacks(one?.text, 'undeclared');
    }),
    side_by_side: promise`Fifty submissions at once are each delivered once, with their own values.
      (What owners fear: a real lead dropped)`(async (t) => {
      const all = Array.from({ length: 50 }, (_, n) => `${t.mark}n${n}n`);
      const answers = await Promise.all(all.map((name) => t.submit('contact', { ...t.values, name })));
      for (const answer of answers) t.taken(answer);
      const arrived = await t.delivered(50);
      const missing = all.filter((name) => !arrived.some(({ text }) => text.includes(name)));
      t.must(missing.length === 0, 'each of them', `${missing.length} never came`);
    }),
    errors: promise`Each refusal is JSON with an "error", and none is empty. (SPEC: Errors)`(async (t) => {
      for (const answer of [
        await t.submit('promises-no-such-form'),
        await t.getForm('promises-no-such-form'),
        await t.getToken('promises-no-such-form'),
      ])
        t.must(wordsOf(answer, 'error') !== undefined, '{"error": "<text>"}', answer.text);
    }),
  },
};
