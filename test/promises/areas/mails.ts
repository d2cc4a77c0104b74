import { mailSecret } from '../forms.ts';
import { type Area, promise } from '../promise.ts';
import type { Mail } from '../smtp_sink.ts';
import type { Trial } from '../trial.ts';

async function mailed(t: Trial, values: Readonly<Record<string, string>>): Promise<Mail> {
  await t.arrives('mail', values);
  const mail = t.mails()[0];
  if (!mail) throw new Error('no mail came');
  return mail;
}

/** Envelope recipients that are not in the config. */
const strangers = (mails: readonly Mail[], ...known: readonly string[]) =>
  mails
    .flatMap(({ envelope }) => envelope.to)
    .filter((to) => ![...known, 'owner@promises.test'].includes(to));

const headerOf = ({ headers }: Mail['mail'], name: string) => headers.find(({ key }) => key === name)?.value;

const lineBreaks = ['\r\n', '\n', '\r', '\u2028', '\0', '\u560d\u560a'];

export const mails: Area = {
  from: 'SPEC: Output types',
  forms: ['mail'],
  promises: {
    delivered: promise`A mail reaches the recipient of the config, and nobody else.`(async (t) => {
      const { envelope } = await mailed(t, t.values);
      t.is(envelope.to, 'owner@promises.test');
    }),
    sender: promise`The envelope sender is relay@<host>.`(async (t) => {
      const { envelope } = await mailed(t, t.values);
      // The form of an address literal in a mailbox (RFC 5321, 4.1.3).
      t.matches(envelope.from, /^relay@(\[127\.0\.0\.1\]|127\.0\.0\.1)$/);
    }),
    lines: promise`Its text has a line key=value for each field, sorted by key.`(async (t) => {
      const { text } = await mailed(t, t.values);
      const wanted = `email=ann@visitor.test\nmessage=Hello\nname=${t.mark}\npage=start`;
      t.is(text, wanted);
    }),
    several_values: promise`A field of several values has a line for each.
      (SPEC: Output types, Multi-value serialization)`(async (t) => {
      const one = await t.arrives('mail', [
        ['name', t.mark],
        ['message', 'one'],
        ['message', 'two'],
      ]);
      t.has(one?.text, 'message=one\nmessage=two');
    }),
    plain_text: promise`The mail is plain text.`(async (t) => {
      const { mail } = await mailed(t, t.values);
      const type = headerOf(mail, 'content-type') ?? 'text/plain';
      t.matches(type, /^text\/plain\b/i);
    }),
    unicode: promise`Every character arrives in a mail, in lines of any length.
      (What owners fear: garbled names)`(async (t) => {
      const message = `Zoë 日本語 👋 ${'long '.repeat(400)}= end`;
      const { text } = await mailed(t, { ...t.values, message });
      t.has(text, `message=${message}`);
    }),
    dots: promise`A line that is a dot ends no mail, and starts no command.
      (Attacks: SMTP injection)`(async (t) => {
      const message =
        'a\r\n.\r\nMAIL FROM:<evil@evil.test>\r\nRCPT TO:<victim@evil.test>\r\nDATA\r\n..b\r\n.\r\nend';
      const { text } = await mailed(t, { ...t.values, message });
      t.matches(text, /\n\s*\.\n[\s\S]*\n\s*\.\.b\n\s*\.\n\s*end/);
      t.is(strangers(t.mails()), '');
    }),
    login: promise`With a username, it logs in by PLAIN.`({ forms: ['mail_login'] }, async (t) => {
      await t.arrives('mail_login', t.values);
      const { username, password } = t.mails()[0]?.login ?? {};
      t.is([username, password], ['relay', mailSecret]);
    }),
    no_login: promise`Without a username, it does not log in.`(async (t) => {
      const { login } = await mailed(t, t.values);
      t.is(login, undefined);
    }),
    refused: promise`A recipient that the server refuses makes the answer 500, not thanks.
      (What owners fear: silent success)`({ forms: ['mail_refused'] }, async (t) => {
      t.status(await t.submit('mail_refused', t.values), 500);
      await t.undelivered();
    }),
    subject: promise`The subject is rendered, with any character in it.
      (SPEC: Templating)`({ forms: ['mail_templated'] }, async (t) => {
      const name = `${t.mark} Zoë, "日本" <b>`;
      await t.arrives('mail_templated', { ...t.values, name });
      t.is(t.mails()[0]?.mail.subject, `From ${name}`);
    }),
    own_recipient: promise`A recipient may come from a field, where the config says so.
      (SPEC: Templating)`({ forms: ['mail_templated'] }, async (t) => {
      await t.arrives('mail_templated', t.values);
      const to = t.mails()[0]?.envelope.to ?? [];
      t.is([...to].sort(), 'ann@visitor.test,owner@promises.test');
    }),
    header_injection: promise`No line break in a value writes a header, nor a body.
      (Attacks: header injection)`({ forms: ['mail_templated'] }, async (t) => {
      for (const mark of lineBreaks) {
        const name = `${t.mark}${mark}Bcc: victim@evil.test${mark}${mark}<b>body</b>`;
        const answer = await t.submit('mail_templated', { ...t.values, name });
        t.must(answer.status < 500, 'delivered or refused');
      }
      t.untilTheEnd(() => {
        for (const { mail, text } of t.mails()) {
          t.is(headerOf(mail, 'bcc'), undefined);
          t.matches(text, /^email=/);
        }
        t.is(strangers(t.mails(), 'ann@visitor.test'), '');
      });
    }),
    recipient_injection: promise`A value in \`to\` is one address or none: no comma, line break or bracket
      adds a recipient. (Attacks: recipient injection)`({ forms: ['mail_templated'] }, async (t) => {
      // A product that sends no mail keeps no promise here. An invalid address may be omitted from a mail to others.
      t.taken(await t.submit('mail_templated', t.values));
      await t.delivered(1, true);
      const marks = [',', ', ', ';', ' ', '>,<', ...lineBreaks, '>\r\nRCPT TO:<'];
      for (const mark of marks)
        await t.submit('mail_templated', { ...t.values, email: `x${mark}victim@evil.test` });
      t.untilTheEnd(() => {
        const found = t.mails().filter(({ envelope }) => envelope.to.includes('victim@evil.test'));
        t.must(found.length === 0, 'no mail to victim@evil.test', `${found.length}`);
      });
    }),
  },
};
