import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { httpSink, smtpSink } from '../../../test/spec/stage.ts';
import { checkTranscript } from './transcript.ts';

test('relay doctor', async () => {
  const http = await httpSink({ tls: true });
  const smtp = await smtpSink({ tls: 'starttls', auth: { username: 'relay', password: 'correct' } });
  await checkTranscript(new URL('transcripts/doctor/doctor.txt', import.meta.url), {
    env: {
      HTTP_PORT: String(http.port),
      SMTP_PORT: String(smtp.port),
      NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('../../../test/support/ca.pem', import.meta.url)),
    },
    instead: [
      [`127.0.0.1:${http.port}`, '127.0.0.1:HTTP_PORT'],
      [`127.0.0.1:${smtp.port}`, '127.0.0.1:SMTP_PORT'],
    ],
  });
  expect(http.connections).toBeGreaterThan(0);
  expect(http.requests).toEqual([]);
  expect(smtp.mails).toEqual([]);
});
