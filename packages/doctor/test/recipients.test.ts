import { expect, test } from 'vitest';
import { examineRecipients } from '../src/recipients.ts';
import { diagnose, formWith, lonelyResolver, type Zone } from './stage.ts';

const to = (recipients: string) =>
  formWith(`[{type: smtp, host: mail.example, mapping: "*", to: '${recipients}'}]`);

const zone: Zone = {
  'firm.example': { MX: ['mx.firm.example'] },
  'old.example': { A: ['192.0.2.1'] },
  'null.example': { MX: [''] },
  'trouble.example': 'SERVFAIL',
};

test.each<[string, string, readonly RegExp[]]>([
  [
    'a domain that takes mail',
    'a@firm.example, b@FIRM.example',
    [/^ok firm\.example: takes mail at mx\.firm\.example$/],
  ],
  ['a domain without MX', 'a@old.example', [/^ok old\.example: has no MX/]],
  [
    'a domain that does not exist',
    'a@exampel.example',
    [/^failure exampel\.example: has neither MX nor address.*outputs\[0\]\.to.* -> Check the spelling/],
  ],
  ['a domain that takes no mail', 'a@null.example', [/^failure null\.example: .*null MX/]],
  ['a customer by name', 'Customer <{{ .fields.email }}>', []],
  ['what visitors send', '{{ .fields.email }}', []],
  ['recipients from the environment', '{{ env "TO" }}', [/^ok firm/, /^ok old/]],
  ['a variable that is not set, which is said elsewhere', '{{ env "NOBODY" }}', []],
  [
    'a DNS in trouble with one domain',
    'a@trouble.example, b@firm.example',
    [/^warning trouble\.example: not looked at: .*ESERVFAIL/, /^ok firm/],
  ],
])('%s', async (_, recipients, expected) => {
  const env = { TO: 'a@firm.example,b@old.example', NONSENSE: 'hunter2' };
  const lines = await diagnose(examineRecipients, to(recipients), { zone, env });
  expect(lines).toEqual(expected.map((one) => expect.stringMatching(one)));
  expect(lines.join()).not.toContain('hunter2');
});

test('recipients of copies are checked, too', async () => {
  const config = formWith(
    '[{type: email, mapping: "*", to: a@firm.example, cc: b@exampel.example, bcc: "Archive <c@null.example>"}]',
  );
  expect(await diagnose(examineRecipients, config, { zone })).toEqual([
    expect.stringMatching(/^ok firm/),
    expect.stringMatching(/^failure exampel\.example: .*outputs\[0\]\.cc/),
    expect.stringMatching(/^failure null\.example: .*outputs\[0\]\.bcc/),
  ]);
});

test('a network without a way out makes no domain a failure', async () => {
  expect(await diagnose(examineRecipients, to('a@firm.example'), { resolver: lonelyResolver })).toEqual([
    expect.stringMatching(
      /^warning firm\.example: not looked at: .*knows no names of the internet -> Run relay doctor on/,
    ),
  ]);
});
