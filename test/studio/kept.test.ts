/** What a relay would keep, in the studio. */
import { expect, test } from 'vitest';
import { stage, storyOf } from './stage.ts';

const config = `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*"}
      - {type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}
`;

test('it tells what is kept', async () => {
  const at = await stage({ config });
  const events = await at.events();
  const send = async () => {
    expect((await at.post('/api/v1/submit/contact', { email: 'a@b.example' })).status).toBe(200);
    return storyOf(await events.next('story'));
  };
  await at.post('/studio/fault', { form: 'contact', output: '0', fault: 'refused' });
  const kept = await send();
  expect(kept.ending).toMatchObject({ word: 'Kept in part', tone: 'warn' });
  await at.post('/studio/fault', { form: 'contact', output: '0', fault: '' });
  await at.edit(config.replace('keep: failed', 'keep: always'));
  const delivered = await send();
  expect(delivered.ending.word).toBe('Delivered');
  expect(delivered.story.outputs.map(({ isKept }) => isKept)).toEqual([true, true]);
});
