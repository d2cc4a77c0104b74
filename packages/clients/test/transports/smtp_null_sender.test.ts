/** Mails that nothing should answer have no envelope sender, where the server takes such mails. */

import { afterEach, describe, expect, test } from 'vitest';
import { type Book, inTurn, startSmtpScript } from '../../../../test/support/smtp_script.ts';
import type { SmtpMessage } from '../../../core/src/services.ts';
import { createSmtpClient } from '../../src/smtp/smtp_client.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function stage(book: Book) {
  const script = await startSmtpScript(book);
  const client = createSmtpClient();
  cleanups.push(script.close, client.close);
  const send = (message: Partial<SmtpMessage> = {}) =>
    client({
      host: '127.0.0.1',
      port: script.port,
      tls: 'opportunistic',
      from: { name: 'Acme, forms', address: 'forms@acme.example' },
      to: ['ada@home.example'],
      subject: 'Thank you',
      text: 'We got it.\n',
      isAutoReply: true,
      messageId: 'b7-0@acme.example',
      date: Date.UTC(2026, 1, 3, 4, 5, 6),
      timeoutMs: 5_000,
      ...message,
    });
  const senders = () =>
    script.commands.filter((line) => line.startsWith('MAIL')).map((line) => line.slice(10));
  const taken = () => script.commands.filter((line) => line === '.').length;
  return { script, send, senders, taken };
}

const nobody = '<>';
const author = '<forms@acme.example>';

/** To MAIL: takes no mail from nobody. */
const refusing =
  (reply: string): Book[string] =>
  (socket, command) =>
    socket.write(`${command.includes('<>') ? reply : '250 2.1.0 ok'}\r\n`);

test('goes without one', async () => {
  const { script, send, senders, taken } = await stage({});
  await send();
  expect([senders(), taken()]).toEqual([[nobody], 1]);
  expect(script.wire).toMatch(/^Auto-Submitted: auto-replied\r$/m);
});

describe.each(['250 mail.test', '250-mail.test\r\n250 PIPELINING'])('a server (%j)', (EHLO) => {
  test.each([
    ['at MAIL', { MAIL: refusing('501 5.1.7 bad sender') }],
    ['at MAIL, without saying why', { MAIL: refusing('550 no') }],
    ['at MAIL, by its policy', { MAIL: refusing('553 5.7.1 not yours') }],
    ['when it hears of a recipient', { RCPT: inTurn('553 5.7.1 <>: not yours', '250 ok') }],
    ['when it has the mail', { '.': inTurn('554 5.2.252 SendAsDenied', '250 taken') }],
    ['when it has the mail, by the older code', { '.': inTurn('550 5.7.60 no', '250 taken') }],
  ] as const)('that refuses it %s gets the mail once more, from whom it is', async (_, book) => {
    const { script, send, senders, taken } = await stage({ EHLO, ...book });
    await send();
    expect([senders(), taken()]).toEqual([[nobody, author], '.' in book ? 2 : 1]);
    expect(script.wire.match(/^Auto-Submitted: auto-replied\r$/gm)).toHaveLength(taken());
    expect(new Set(script.wire.match(/^Message-ID: .*$/gm)).size).toBe(1);
  });
});

test.each([
  ['both senders', { MAIL: '550 5.1.8 who?' }, [nobody, author], 'the server refused the sender: 550 5.1.8'],
  ['it for now', { MAIL: '450 4.7.1 later' }, [nobody], 'the server refused the sender: 450 4.7.1'],
  ['the recipient', { RCPT: '550 5.1.1 who?' }, [nobody], 'the server refused a recipient: 550 5.1.1'],
  ['what it says', { '.': '554 5.7.1 spam' }, [nobody], 'the server refused the message: 554 5.7.1'],
])('a server that refuses %s has done so', async (_, book, expected, reason) => {
  const { send, senders } = await stage(book);
  await expect(send()).rejects.toThrow(reason);
  expect(senders()).toEqual(expected);
});

test('a mail that has a sender has no other', async () => {
  const { send, senders } = await stage({ MAIL: '550 5.1.8 who?' });
  await expect(send({ isAutoReply: false })).rejects.toThrow('the server refused the sender: 550 5.1.8');
  expect(senders()).toEqual([author]);
});

test('a connection that carried its share of mails is not taken for a refusal', async () => {
  const { script, send, senders } = await stage({
    // One mail a connection: from a second one on, it refuses any sender.
    MAIL: inTurn('250 ok', '503 5.5.1 one is enough', '250 ok'),
  });
  await send({ isAutoReply: false });
  await send();
  expect(senders()).toEqual([author, nobody, nobody]);
  expect(script.accepted).toBe(2);
});

test('both tries end within one time', async () => {
  const { send, senders } = await stage({
    MAIL: (socket, command) => (command.includes('<>') ? socket.write('550 no\r\n') : undefined),
  });
  await expect(send({ timeoutMs: 2_000 })).rejects.toThrow('no complete answer within 2000 ms');
  expect(senders()).toEqual([nobody, author]);
});
