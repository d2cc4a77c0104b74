/** Any environment gives settings, or an error that names each wrong variable and no other. */
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { readSettings } from '../src/settings.ts';

const piece = fc.constantFrom(
  ...['0', '1', '65535', '.', '-', 'e3', ' ', ',', '*', 'https://', 'http://', 'a.example'],
  ...['bücher.example', ':8080', '/', '?', 'null', 'ftp:', '@', '<', '>', 'Forms ', '30s', '\n', '\0'],
  ...['[::1]', 'A', '8080', 'auto', 'Pretty', 'json', 'warn', 'eu-central-1'],
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 5 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

test('a sender is an address, with or without a name before it', async () => {
  const local = fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~][a-z0-9!#$%&'*+/=?^_`{|}~-]{0,9}$/);
  const named = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[<>\p{Cc}]/u.test(text));
  await holds(50, [local, named, text], (local, name, other) => {
    const address = `${local}@a.example`;
    for (const value of [address, `${name}<${address}>`])
      expect(readSettings({ MAIL_FROM_ADDRESS: value }).mailFromAddress).toBe(value);
    for (const value of [
      `${address}\n`,
      `<${address}> `,
      `${name}<${other}${address}>>`,
      `${address},${address}`,
    ])
      expect(() => readSettings({ MAIL_FROM_ADDRESS: value })).toThrow(/^MAIL_FROM_ADDRESS: /);
  });
});

test('the memory limit of bodies is a number of bytes, or a size', () => {
  const budgetOf = (UPLOAD_BUDGET: string) => readSettings({ UPLOAD_BUDGET }).uploadBudget;
  expect([budgetOf('128MB'), budgetOf('65536'), budgetOf('')]).toEqual([134_217_728, 65_536, 67_108_864]);
  for (const wrong of ['65535', '64mb', '64']) {
    expect(() => budgetOf(wrong)).toThrow(
      'UPLOAD_BUDGET: expected a size of at least 65536 bytes, the maximum of one body, such as 64MB',
    );
  }
});
