import { fileURLToPath } from 'node:url';
import { httpSink, smtpSink } from '../../../test/support/index.ts';
import { openTerminal } from './terminal.ts';
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

/** Output of `relay doctor` about DNS records, with a fake DNS. */

const zone = {
  'firm.example': { Mx: [{ exchange: 'mail.firm.example', priority: 10 }], Txt: [['v=spf1 mx -all']] },
  'mail.firm.example': { 4: ['192.0.2.1'] },
  com: { Ns: ['a.gtld-servers.net'] },
};

/** Loaded before the relay, so that its resolver knows only this zone. */
const instead = `
const { Resolver } = require('node:dns').promises;
const zone = ${JSON.stringify(zone)};
for (const type of ['4', '6', 'Cname', 'Mx', 'Ns', 'Txt'])
  Resolver.prototype['resolve' + type] = async (name) => {
    const found = zone[name]?.[type];
    if (!found) throw Object.assign(new Error(name), { code: 'ENODATA' });
    return found;
  };
`;

async function doctor(line: string) {
  const { port } = await smtpSink();
  const config = `forms:
  contact:
    fields: [{name: email, type: email}]
    outputs:
      - type: smtp
        host: 127.0.0.1
        port: ${port}
        from: Firm <web@firm.example>
        to: office@firm.example
        mapping: "*"
`;
  const { run } = await openTerminal({
    files: { 'webform.yaml': config, 'dns.cjs': instead },
    env: { NODE_OPTIONS: '--require ./dns.cjs' },
  });
  return run(line);
}

test('a missing record is shown as a name, a type and a value, to paste', async () => {
  const { stdout, code } = await doctor('relay doctor');
  expect(stdout).toContain(`Senders: SPF, DKIM and DMARC
  warning  SPF of firm.example: exists; unclear whether it allows 127.0.0.1, which sends from another address
           -> The record must allow the public address that this server sends from, such as "v=spf1 mx ip4:192.0.2.1 ~all".
  warning  DMARC of firm.example: there is no record; large receivers trust mail without one less
           -> Start by publishing this DNS record:
              name   _dmarc.firm.example
              type   TXT
              value  v=DMARC1; p=none; rua=mailto:postmaster@firm.example
`);
  expect(code).toBe(0);
});

test('JSON has the same records for other programs', async () => {
  const { stdout } = await doctor('relay doctor --json');
  const { diagnoses } = JSON.parse(stdout) as { diagnoses: { record?: object }[] };
  expect(diagnoses.flatMap(({ record }) => record ?? [])).toEqual([
    {
      name: '_dmarc.firm.example',
      type: 'TXT',
      value: 'v=DMARC1; p=none; rua=mailto:postmaster@firm.example',
    },
  ]);
});
