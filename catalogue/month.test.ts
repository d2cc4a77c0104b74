import { fieldContract, tryRelay } from 'form-relay/testing';
import { expect, test } from 'vitest';

const promises = fieldContract({
  type: 'month',
  accepts: ['2026-03', '3/2026', '03.2026', '2026-3', '２０２６-１２', '٢٠٢٦-٠٣', '2026年3月'],
  rejects: ['2026-13', '2026-00', '2026', 'March', '2026-03-01', '0000-03', '-2026-03'],
});
test.each([...promises])('$name', ({ run }) => run());

test('limits and steps apply, and outputs get what browsers would send', async () => {
  const month = { name: 'it', type: 'month', min: '2026-02', max: '2026-12', step: 3 };
  const relay = await tryRelay({ forms: { contact: { fields: [month], language: 'de' } } });
  const answers = ['1/2026', '2027-01', '2026-06', '05.2026'].map(async (it) => {
    const { status, text } = await relay.submit('contact', { it });
    return status === 200 ? status : text;
  });
  expect(await Promise.all(answers)).toEqual([
    expect.stringContaining('ab 02/2026'),
    expect.stringContaining('bis 12/2026'),
    expect.stringContaining('nächstliegende ist 05/2026'),
    200,
  ]);
  expect(relay.delivered).toEqual([{ it: ['2026-05'] }]);
  const [field] = (await relay.form('contact')).fields;
  const locale = (await relay.form('contact')).locale(undefined);
  expect(field?.words(['2026-05'], locale)).toEqual(['05/2026']);
  await relay.close();
});
