import { fieldContract, tryRelay } from 'form-relay/testing';
import { expect, test } from 'vitest';

const options = ['tea', { value: 'coffee', label: 'Coffee' }, 'water'];

const promises = fieldContract({
  type: 'ranking',
  keys: { options },
  accepts: [
    ['tea', 'coffee', 'water'],
    ['water', 'tea', 'coffee'],
  ],
  rejects: ['tea', ['tea', 'tea', 'water'], ['tea', 'coffee', 'beer'], ['tea', 'coffee', 'water', 'water']],
});
test.each([...promises])('$name', ({ run }) => run());

test('outputs get the order, people get numbers, and an error names its place', async () => {
  const fields = [{ name: 'it', type: 'ranking', options }];
  const relay = await tryRelay({ forms: { contact: { fields } } });
  const { text } = await relay.submit('contact', { it: ['coffee', 'coffee', 'tea'] });
  expect(text).toContain('“Coffee” is chosen twice');
  await relay.submit('contact', { it: ['water', 'coffee', 'tea'] });
  expect(relay.delivered).toEqual([{ it: ['water', 'coffee', 'tea'] }]);
  const form = await relay.form('contact');
  expect(form.fields[0]?.words(['water', 'coffee'], form.locale(undefined))).toEqual([
    '1. water',
    '2. Coffee',
  ]);
  await relay.close();
});
