/** What `relay doctor` prints of the DNS, with a DNS of the test's own. */
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { smtpSink } from '../../../test/spec/stage.ts';
import { openTerminal } from './terminal.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const zone = {
  'firm.example': { Mx: [{ exchange: 'mail.firm.example', priority: 10 }], Txt: [['v=spf1 mx -all']] },
  'mail.firm.example': { 4: ['192.0.2.1'] },
  com: { Ns: ['a.gtld-servers.net'] },
};

/** Read before the relay, whose resolver then knows the zone and nothing else. */
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
        dkim: {domain: firm.example, selector: s1, key: '{{ env "DKIM_KEY" }}'}
        mapping: "*"
`;
  const { run } = await openTerminal({
    files: { 'webform.yaml': config, 'dns.cjs': instead },
    env: {
      NODE_OPTIONS: '--require ./dns.cjs',
      DKIM_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
  });
  return run(line);
}

const value = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

test('a missing record is a name, a type and a value, to paste', async () => {
  const { stdout, code } = await doctor('relay doctor');
  expect(stdout).toContain(`Senders: SPF, DKIM and DMARC
  warning  DKIM of firm.example, selector s1: there is no key at s1._domainkey.firm.example: receivers take each mail for unsigned
           -> Publish this record in the DNS:
              name   s1._domainkey.firm.example
              type   TXT
              value  ${value}
  warning  SPF of firm.example: is there; whether it allows 127.0.0.1 cannot be seen, since it sends from another address
           -> The record has to allow the public address that this server sends from, such as "v=spf1 mx ip4:192.0.2.1 ~all".
  warning  DMARC of firm.example: there is no record; large receivers trust such mail less
           -> Publish this record in the DNS, to begin with:
              name   _dmarc.firm.example
              type   TXT
              value  v=DMARC1; p=none; rua=mailto:postmaster@firm.example
`);
  expect(code).toBe(0);
  expect(stdout).not.toContain('PRIVATE');
});

test('and the same for other programs', async () => {
  const { stdout } = await doctor('relay doctor --json');
  const { diagnoses } = JSON.parse(stdout) as { diagnoses: { record?: object }[] };
  expect(diagnoses.flatMap(({ record }) => record ?? [])).toEqual([
    { name: 's1._domainkey.firm.example', type: 'TXT', value },
    {
      name: '_dmarc.firm.example',
      type: 'TXT',
      value: 'v=DMARC1; p=none; rua=mailto:postmaster@firm.example',
    },
  ]);
});
