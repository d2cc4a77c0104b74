import { type Answer, wordsOf } from '../client.ts';
import { configSecret, mailSecret } from '../forms.ts';
import { sinkSecret } from '../http_sink.ts';
import { type Area, promise } from '../promise.ts';
import { rejectedRecipient } from '../smtp_sink.ts';
import type { Trial } from '../trial.ts';

const whole = ({ headers, text }: Answer) => `${JSON.stringify(headers)} ${text}`;

const stackTrace =
  /\bat .{1,200}:\d+:\d+|node_modules|Traceback|goroutine \d|\.(?:js|ts|go|py|php|java|rb)(?::\d+| line \d+)/;

/** Without the trial's mark, because other promises cover the delivery. */
const nobody = { name: 'nobody' };

/** Requests that cause all kinds of refusals. */
const refusals = (t: Trial): Promise<readonly Answer[]> =>
  Promise.all([
    t.submit('promises-no-such-form', nobody),
    t.submit('%', nobody),
    t.submit('', nobody),
    t.submit('promises-no-such-form', '%', { 'content-type': 'application/json' }),
    t.submit('promises-no-such-form', '{"__proto__":', { 'content-type': 'application/json' }),
    t.submit('promises-no-such-form', '--x', { 'content-type': 'multipart/form-data; boundary=x' }),
    t.getForm('%E0%A4%A', '?%E0%A4%A'),
    t.request({ method: 'DELETE', path: t.paths.submit('contact') }),
    t.request({ method: 'GET', path: '/%00/../../etc/passwd' }),
  ]);

const failures = async (t: Trial) => [
  await t.submit('telling', t.values),
  await t.submit('telling', t.values, { 'HX-Request': 'true' }),
  await t.submit('telling', t.values, { Accept: 'text/html' }),
];

export const answers: Area = {
  promises: {
    stack_traces: promise`No refusal holds a stack trace or the path of a source file.
      (Attacks: stack traces in answers)`(async (t) => {
      for (const answer of await refusals(t))
        t.must(!stackTrace.test(answer.text), 'no stack trace', answer.text.slice(0, 200));
    }),
    no_500: promise`Nonsense is the client’s mistake: it is answered with 4xx, never 5xx.
      (RFC 9110, 15.5)`(async (t) => {
      for (const answer of await refusals(t)) t.matches(`${answer.status} ${answer.text}`, /^4\d\d /);
    }),
    failed_output: promise`What a failed output answered is repeated to nobody.
      (Attacks: secrets in answers)`({ forms: ['telling'] }, async (t) => {
      for (const answer of await failures(t)) {
        t.status(answer, 500);
        t.lacks(whole(answer), sinkSecret);
      }
    }),
    secrets: promise`No answer holds a secret of the config, a password, or where an output leads.
      (Attacks: secrets in answers)`({ forms: ['telling'] }, async (t) => {
      for (const answer of await failures(t)) {
        for (const secret of [configSecret, mailSecret, '/tell', rejectedRecipient])
          t.lacks(whole(answer), secret);
        t.must(!stackTrace.test(answer.text), 'no stack trace', answer.text);
      }
    }),
    failure_in_words: promise`A failure is told in words: {"error": …}.
      (SPEC: Errors)`({ forms: ['refused_by_receiver'] }, async (t) => {
      const answer = await t.submit('refused_by_receiver', t.values);
      t.must(wordsOf(answer, 'error') !== undefined, '{"error": "<text>"}');
    }),
    values: promise`A refusal in JSON repeats no submitted value.
      (Attacks: reflected text)`({ needs: ['validation'] }, async (t) => {
      const answer = await t.submit('contact', { email: `${t.mark}<script>` });
      t.must(!t.isTaken(answer), 'a rejection');
      t.lacks(whole(answer), t.mark);
    }),
    unknown_name: promise`A refusal repeats nothing of the address that somebody made up.
      (Attacks: reflected text)`(async (t) => {
      const answer = await t.submit(`${t.mark}%3Cscript%3E`, {});
      t.lacks(whole(answer), t.mark);
    }),
    sniffing: promise`HTML with text of visitors is taken for nothing else than it says (nosniff).
      (Fetch Standard: X-Content-Type-Options)`({ needs: ['form_html'] }, async (t) => {
      const { headers } = await t.getForm('contact');
      t.is(headers['x-content-type-options'], 'nosniff');
    }),
    software: promise`No answer names the software that runs here and its version.
      (OWASP: fingerprinting)`(async (t) => {
      const { headers } = await t.submit('promises-no-such-form');
      t.is(headers['x-powered-by'], undefined);
      t.matches(headers.server ?? 'none', /^\D*$/);
    }),
    cookies: promise`No answer sets a cookie. (What owners fear: a consent banner for a form)`(async (t) => {
      const { headers } = await t.submit('promises-no-such-form');
      t.is(headers['set-cookie'], undefined);
    }),
    redirect: promise`No field leads the visitor elsewhere: neither \`_next\` nor \`redirect\` is followed.
      (Attacks: open redirect)`(async (t) => {
      const evil = 'https://evil.test/';
      const names = [
        ...['_next', 'redirect', '_redirect', 'redirect_to', 'return', 'returnUrl', 'url', 'thanks'],
        '_after',
      ];
      const values = { ...t.values, ...Object.fromEntries(names.map((name) => [name, evil])) };
      for (const headers of [{}, { Accept: 'text/html' }, { 'HX-Request': 'true' }] as Readonly<
        Record<string, string>
      >[]) {
        const answer = await t.submit(`contact?${names.map((name) => `${name}=${evil}`).join('&')}`, values, {
          ...headers,
          Referer: evil,
        });
        t.must(!whole(answer).includes('evil.test'), 'nothing of evil.test', whole(answer).slice(0, 300));
      }
    }),
    inherited: promise`Fields named as what every object has are fields like others, and spoil nothing.
      (Attacks: prototype pollution)`(async (t) => {
      const names = [
        ...['__proto__', '__proto__[isAdmin]', 'constructor', 'constructor[prototype][status]'],
        ...['toString', 'hasOwnProperty'],
      ];
      const attack = await t.submit('contact', [
        ...Object.entries(t.values),
        ...names.map((name) => [name, 'polluted'] as const),
      ]);
      t.taken(attack);
      t.taken(await t.submit('contact', { ...t.values, message: 'second' }));
      const second = (await t.delivered(2)).find(({ text }) => text.includes('second'));
      t.lacks(second?.text, 'polluted');
    }),
    alive: promise`After any attack the product runs, and delivers.
      (What owners fear: one request stops all forms)`(async (t) => {
      await refusals(t);
      await t.wire('\0\x01\x02 / HTTP/9.9\r\n\r\n');
      await t.arrives('contact', t.values);
    }),
  },
};
