/** Servers that refuse, lack an extension or disconnect: the outcome is correct, and the log has a clear reason. */

import { type Book, relayWith, smtpScript } from '../../../test/support/index.ts';

async function stage(book: Book, keys = '', to = 'office@firm.example') {
  const script = await smtpScript(book);
  const relay = await relayWith({
    config: `
forms:
  contact:
    title: Grüße 👋
    fields: [{name: message, label: Nachricht}]
    outputs:
      - {type: smtp, host: 127.0.0.1, port: ${script.port}, to: '${to}', from: 'Grüßerei <web@bücher.example>', subject: 'Grüße: {{ .fields.message }}', mapping: "*"${keys}}
`,
    effects: { random: () => 0.5 },
  });
  const submit = async () => (await relay.submit('contact', [['message', 'Ünïcode — 日本 🎉']])).status;
  const failures = () =>
    relay.logged.filter(({ event }) => event === 'delivery_failed').map(({ reason }) => reason);
  return { script, relay, submit, failures };
}

const mails = (commands: readonly string[]) => commands.filter((line) => line === '.').length;

/** Refuses only this address. */
const refusing =
  (address: string): Book[string] =>
  (socket, command) =>
    socket.write(`${command.includes(address) ? `550 5.1.1 ${address} is unknown` : '250 2.1.5 ok'}\r\n`);

test.each([
  ['to', 'b@firm.example', 2],
  ['cc', 'c@firm.example', 3],
  ['bcc', 'd@firm.example', 4],
])('if one of several recipients is refused, no recipient gets the mail in %s', async (_, address, nth) => {
  const keys = ', cc: c@firm.example, bcc: "Dora <d@firm.example>"';
  const { script, relay, submit, failures } = await stage(
    { EHLO: '250-mail.test\r\n250 PIPELINING', RCPT: refusing(address) },
    keys,
    'a@firm.example, b@firm.example',
  );
  expect(await submit()).toBe(500);
  expect(failures()).toEqual([
    `the server refused a recipient: 550 5.1.1 (number ${nth} of 4 in \`to\`, \`cc\` and \`bcc\`)`,
  ]);
  expect([mails(script.commands), script.accepted]).toEqual([0, 1]);
  expect(JSON.stringify(relay.logged)).not.toMatch(/@firm\.example|is unknown/);
});

test.each<[string, Book]>([
  ['neither 8BITMIME, SMTPUTF8 nor PIPELINING', { EHLO: '250 mail.test' }],
  ['nothing, and does not know EHLO', { EHLO: '502 5.5.1 what?', HELO: '250 mail.test' }],
  ['all three', { EHLO: '250-mail.test\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 PIPELINING' }],
])('a server accepts every mail if it offers %s', async (_, book) => {
  for (const keys of ['', ', html: true']) {
    const { script, submit } = await stage(book, keys, 'Büro <office@bücher.example>');
    expect(await submit()).toBe(200);
    expect(script.wire).toMatch(/^[\r\n\t\x20-\x7e]+$/);
    expect(script.wire.split('\r\n').every((line) => line.length <= 998)).toBe(true);
    expect(script.commands.slice(-4)).toEqual([
      'MAIL FROM:<web@xn--bcher-kva.example>',
      'RCPT TO:<office@xn--bcher-kva.example>',
      'DATA',
      '.',
    ]);
  }
});

test('AUTH LOGIN is used if the config says so', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { script, submit } = await stage(
    {
      EHLO: '250-mail.test\r\n250 AUTH NTLM LOGIN',
      AUTH: '334 VXNlcm5hbWU6',
      [base64('u')]: '334 UGFzc3dvcmQ6',
      [base64('p4ssword')]: '235 2.7.0 welcome',
    },
    ', username: u, password: p4ssword, auth: login',
  );
  expect(await submit()).toBe(200);
  expect(script.commands.slice(1, 4)).toEqual(['AUTH LOGIN', base64('u'), base64('p4ssword')]);
});
