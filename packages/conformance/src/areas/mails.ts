import { mailSecret } from '../forms.ts';
import type { Area } from '../promise.ts';
import { headerOf } from '../sinks/letter.ts';
import type { Mail } from '../sinks/smtp_sink.ts';
import type { Trial } from '../trial.ts';

async function mailed(t: Trial, values: Readonly<Record<string, string>>): Promise<Mail> {
  await t.arrives('mail', values);
  const mail = t.mails()[0];
  if (!mail) throw new Error('no mail came');
  return mail;
}

/** The recipients in the envelope that the config does not name. */
const strangers = (mails: readonly Mail[], ...known: readonly string[]) =>
  mails
    .flatMap(({ envelope }) => envelope.to)
    .filter((to) => ![...known, 'owner@conformance.test'].includes(to));

const lineBreaks = ['\r\n', '\n', '\r', '\u2028', '\0', '\u560d\u560a'];

export const mails: Area = {
  id: 'mails',
  name: 'Mail over SMTP',
  from: 'SPEC: Output types',
  promises: {
    delivered: {
      says: 'A mail reaches the recipient of the config, and nobody else.',
      forms: ['mail'],
      check: async (t) => {
        const { envelope } = await mailed(t, t.values);
        t.must(
          String(envelope.to) === 'owner@conformance.test',
          'owner@conformance.test',
          String(envelope.to),
        );
      },
    },
    sender: {
      says: 'The envelope sender is relay@<host>.',
      forms: ['mail'],
      check: async (t) => {
        const { envelope } = await mailed(t, t.values);
        // An address is written so in a mailbox (RFC 5321, 4.1.3).
        t.must(
          /^relay@(\[127\.0\.0\.1\]|127\.0\.0\.1)$/.test(envelope.from),
          'relay@[127.0.0.1]',
          envelope.from,
        );
      },
    },
    lines: {
      says: 'Its text has a line key=value for each field, sorted by key.',
      forms: ['mail'],
      check: async (t) => {
        const { letter } = await mailed(t, t.values);
        const wanted = `email=ann@visitor.test\nmessage=Hello\nname=${t.mark}\npage=start`;
        t.must(letter.text === wanted, JSON.stringify(wanted), JSON.stringify(letter.text));
      },
    },
    several_values: {
      says: 'A field of several values has a line for each.',
      from: 'SPEC: Output types, Multi-value serialization',
      forms: ['mail'],
      check: async (t) => {
        const one = await t.arrives('mail', [
          ['name', t.mark],
          ['message', 'one'],
          ['message', 'two'],
        ]);
        t.must(
          one?.text.includes('message=one\nmessage=two') === true,
          'message=one, message=two',
          one?.text,
        );
      },
    },
    plain_text: {
      says: 'The mail is plain text.',
      forms: ['mail'],
      check: async (t) => {
        const { letter } = await mailed(t, t.values);
        const type = headerOf(letter, 'Content-Type') ?? 'text/plain';
        t.must(/^text\/plain\b/i.test(type), 'text/plain', type);
      },
    },
    unicode: {
      says: 'Every character arrives in a mail, in lines of any length.',
      from: 'What owners fear: garbled names',
      forms: ['mail'],
      check: async (t) => {
        const message = `Zoë 日本語 👋 ${'long '.repeat(400)}= end`;
        const { letter } = await mailed(t, { ...t.values, message });
        t.must(letter.text.includes(`message=${message}`), `message=${message}`, letter.text);
      },
    },
    dots: {
      says: 'A line that is a dot ends no mail, and starts no command.',
      from: 'Attacks: SMTP injection',
      forms: ['mail'],
      check: async (t) => {
        const message =
          'a\r\n.\r\nMAIL FROM:<evil@evil.test>\r\nRCPT TO:<victim@evil.test>\r\nDATA\r\n..b\r\n.\r\nend';
        const { letter } = await mailed(t, { ...t.values, message });
        t.must(
          /\n\s*\.\n[\s\S]*\n\s*\.\.b\n\s*\.\n\s*end/.test(letter.text),
          'the whole text in one mail',
          letter.text,
        );
        t.must(strangers(t.mails()).length === 0, 'no other recipient', String(strangers(t.mails())));
      },
    },
    login: {
      says: 'With a username, it logs in by PLAIN.',
      forms: ['mail_login'],
      check: async (t) => {
        await t.arrives('mail_login', t.values);
        const login = t.mails()[0]?.login;
        const isRight = login?.username === 'relay' && login.password === mailSecret;
        t.must(isRight, 'the login of the config', login ? 'another one' : 'none');
      },
    },
    no_login: {
      says: 'Without a username, it does not log in.',
      forms: ['mail'],
      check: async (t) => {
        const { login } = await mailed(t, t.values);
        t.must(login === undefined, 'no login', `a login as ${login?.username}`);
      },
    },
    refused: {
      says: 'A recipient that the server refuses makes the answer 500, not thanks.',
      from: 'What owners fear: silent success',
      forms: ['mail_refused'],
      check: async (t) => {
        t.status(await t.submit('mail_refused', t.values), 500);
        await t.undelivered();
      },
    },
    subject: {
      says: 'The subject is rendered, with any character in it.',
      from: 'SPEC: Templating',
      forms: ['mail_templated'],
      check: async (t) => {
        const name = `${t.mark} Zoë, "日本" <b>`;
        await t.arrives('mail_templated', { ...t.values, name });
        const letter = t.mails()[0]?.letter;
        const subject = letter && headerOf(letter, 'Subject');
        t.must(subject === `From ${name}`, `From ${name}`, String(subject));
      },
    },
    own_recipient: {
      says: 'A recipient may come from a field, where the config says so.',
      from: 'SPEC: Templating',
      forms: ['mail_templated'],
      check: async (t) => {
        await t.arrives('mail_templated', t.values);
        const to = t.mails()[0]?.envelope.to ?? [];
        t.must(
          to.includes('ann@visitor.test') && to.length === 2,
          'owner@conformance.test, ann@visitor.test',
          String(to),
        );
      },
    },
    header_injection: {
      says: 'No line break in a value writes a header, nor a body.',
      from: 'Attacks: header injection',
      forms: ['mail_templated'],
      check: async (t) => {
        for (const mark of lineBreaks) {
          const name = `${t.mark}${mark}Bcc: victim@evil.test${mark}${mark}<b>body</b>`;
          const answer = await t.submit('mail_templated', { ...t.values, name });
          t.must(answer.status < 500, 'delivered or refused');
        }
        t.untilTheEnd(() => {
          for (const { letter } of t.mails()) {
            const bcc = headerOf(letter, 'Bcc');
            t.must(bcc === undefined, 'no Bcc', `Bcc: ${bcc}`);
            t.must(letter.text.startsWith('email='), 'the text as ever', letter.text);
          }
          const found = strangers(t.mails(), 'ann@visitor.test');
          t.must(found.length === 0, 'no other recipient', String(found));
        });
      },
    },
    recipient_injection: {
      says: 'A value in `to` is one address or none: no comma, line break or bracket adds a recipient.',
      from: 'Attacks: recipient injection',
      forms: ['mail_templated'],
      check: async (t) => {
        const marks = [',', ', ', ';', ' ', '>,<', ...lineBreaks, '>\r\nRCPT TO:<'];
        for (const mark of marks)
          await t.submit('mail_templated', { ...t.values, email: `x${mark}victim@evil.test` });
        t.untilTheEnd(() => {
          const found = t.mails().filter(({ envelope }) => envelope.to.includes('victim@evil.test'));
          t.must(found.length === 0, 'no mail to victim@evil.test', `${found.length}`);
        });
      },
    },
  },
};
