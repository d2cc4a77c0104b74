/** A password goes in the clear only to this machine, by its name and by where the connection leads. */
import net from 'node:net';
import { expect, test } from 'vitest';
import { smtpSink } from '../../../../test/spec/stage.ts';
import { createSmtpClient } from '../../src/smtp/smtp_client.ts';
import { sampleMail } from './sample_mail.ts';

const credentials = { username: 'relay', password: 'hunter2' };

/** The users whose password the server has, when the client believes to be connected to `peer`. */
async function usersAfterMailTo(host: string, peer?: string) {
  const sink = await smtpSink({ auth: credentials });
  const connect = () => {
    const socket = net.connect(sink.port, '127.0.0.1');
    if (peer !== undefined) Object.defineProperty(socket, 'remoteAddress', { value: peer });
    return socket;
  };
  return createSmtpClient({ connect })({ ...sampleMail, host, port: 587, credentials }).then(
    () => sink.mails.map(({ user }) => user),
    (error: Error) => error.message,
  );
}

test.each(['localhost', 'Mail.LocalHost', '127.255.255.255', '[::1]'])('%s is this machine', async (host) => {
  expect(await usersAfterMailTo(host)).toEqual(['relay']);
});

test.each([
  'localhost.evil.example',
  '.localhost',
  'notlocalhost',
  '127.0.0.256',
  '127.1',
  '1127.0.0.1',
  '::11',
  '[::1',
  '128.0.0.1',
])('%s is not', async (host) => {
  expect(await usersAfterMailTo(host)).toMatch(/^the password is not sent in the clear/);
});

test('a name of this machine that leads elsewhere is not', async () => {
  expect(await usersAfterMailTo('mail.localhost', '192.0.2.1')).toMatch(/not sent in the clear/);
});
