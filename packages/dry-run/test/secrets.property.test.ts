/** A dry run shows what would be sent, but no secret in it, wherever the config uses one. */
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { holds } from '../../../test/support/fuzz.ts';
import type { SubmissionReport } from '../src/report.ts';
import { Secrets } from '../src/secrets.ts';
import { bodyWords, KnownSecrets } from '../src/test_services.ts';
import { stage } from './stage.ts';

const env = (name = 'KEY') => `{{ env "${name}" }}`;
const config = `forms:
  a:
    fields: [{name: a}]
    outputs:
      - type: http_post
        url: https://crm.test/leads
        headers: {Authorization: 'Bearer ${env()}', X-Plain: '<${env()}>', X-Lower: '{{ lower (env "KEY") }}'}
        mapping: "*"
        static: {plain: '${env()}', upper: '{{ upper (env "KEY") }}', trimmed: '{{ env "KEY" | trim }}', both: '${env()}${env('OTHER')}', nested: 'a=${env()}&b'}
      - {type: smtp, host: mail.test, to: a@b.test, username: '${env()}', password: '${env('OTHER')}', subject: '<${env()}>', mapping: "*", static: {plain: '${env()}'}}
      - {type: email, to: a@b.test, subject: '${env()}', mapping: "*", static: {plain: 'x${env()}x'}}
      - type: smtp
        host: mail.test
        to: a@b.test
        reply_to: r@b.test
        reply_to_name: '${env()}'
        subject: x
        html: true
        intro: '<${env()}>'
        footer: 'https://b.test/ ${env('OTHER')}'
        headers: {X-Api-Key: literal-key, X-Plain: '<${env()}>'}
        static: {plain: '${env()}'}
      - {type: email, to: a@b.test, html: true, text: '<${env()}>'}
`;

let variables: Record<string, string> = {};
const { send, reports } = stage({ config, services: { env: (name) => variables[name] } });

async function rehearse(secrets: Record<string, string>, value: string): Promise<SubmissionReport> {
  variables = secrets;
  reports.length = 0;
  return (await send('a', { a: value })).report;
}

/** All texts in a report. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** The visible text in HTML mails. */
const readIn = (report: SubmissionReport): readonly string[] =>
  report.outputs
    .flatMap(({ sent }) => sent)
    .flatMap((mail) => (mail.kind === 'mail' && mail.html !== undefined ? [textIn(parse(mail.html))] : []));

const textIn = (node: DefaultTreeAdapterTypes.Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textIn).join('') : '';

const unit = fc.constantFrom(...'abcXYZ019-_./+=&%:? "<>\'\\äß日😀\n\t');
/** Long enough to be a secret, and part of no other text. */
const secret = fc.string({ unit, minLength: 4, maxLength: 14 }).map((text) => `Zq7${text}7qZ`);

test('no secret is shown, whatever it is', () =>
  holds(10, [secret, secret, fc.string({ unit, maxLength: 10 })], async (key, other, value) => {
    const report = await rehearse({ KEY: key, OTHER: other }, value);
    expect(report.outcome).toBe('delivered');
    const read = readIn(report);
    expect(read).toHaveLength(2);
    const shown = [...textsOf(report), ...read];
    expect(shown.join()).not.toContain('literal-key');
    expect(shown.join()).toContain('[KEY]');
    for (const secret of [key, other]) {
      const encoded = new URLSearchParams({ '': secret }).toString().slice(1);
      const forms = [secret, secret.toLowerCase(), secret.toUpperCase(), encoded, encodeURIComponent(secret)];
      for (const form of [...forms, Buffer.from(secret).toString('base64')])
        expect(shown.filter((text) => text.includes(form))).toEqual([]);
    }
  }));

test('a response is one line of limited length, which is safe in a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (body) => {
      const words = bodyWords(body, new Secrets());
      expect(words.length).toBeLessThanOrEqual(161);
      expect(words).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*$/u);
    }),
  );
});

const secretAnswerWords = fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);
const text = fc.string({ maxLength: 200 });

test('no response shows a variable, a credential or a part of a secret URL, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      secretAnswerWords,
      secretAnswerWords,
      secretAnswerWords,
      text,
      text,
      async (variable, token, part, before, after) => {
        const known = new KnownSecrets();
        const env = known.env((name) => ({ A: variable, B: `https://chat.example/hooks/${part}` })[name]);
        env('A');
        env('B');
        const http = known.http(async () => ({ status: 200, headers: {}, body: '' }));
        await http({
          url: new URL('https://crm.example/'),
          headers: { authorization: `Bearer ${token}` },
          body: '',
          timeoutMs: 1,
        });
        const said = bodyWords(`${before} ${variable} ${token} ${part} ${after}`, known.mask);
        for (const one of [variable, token, part]) expect(said).not.toContain(one.slice(0, 12));
      },
    ),
  );
});
