/** Fields of type grid, through real HTTP. */
import { expect, test } from 'vitest';
import { contact, relayWith } from '../../../test/spec/stage.ts';

const rows =
  'rows: [speed, {value: price.tag, label: Price}, __proto__], options: [{value: bad, label: Poor}, good]';
const fields = (keys = '') => `[{name: rated, type: grid, ${rows}${keys}}]`;

async function taken(field: string, ...values: (readonly [string, string])[]) {
  const form = await contact({ fields: field });
  const answer = await form.send(...values);
  return answer.status === 200 ? form.delivered : answer.json;
}

test('the answers arrive as one value, in the order of the rows', async () => {
  expect(
    await taken(fields(), ['rated.price.tag', 'good'], ['rated.speed', 'bad'], ['rated.__proto__', 'bad']),
  ).toEqual([[['rated', '{"speed":"bad","price.tag":"good","__proto__":"bad"}']]]);
  expect(await taken(fields(), ['rated.speed', ''])).toEqual([[]]);
});

test('foreign rows are ignored, and foreign options refused at their row', async () => {
  expect(
    await taken(fields(), ['rated.taste', 'good'], ['rated', '{"speed":"good"}'], ['rated.speed', 'good']),
  ).toEqual([[['rated', '{"speed":"good"}']]]);
  expect(await taken(fields(), ['rated.speed', 'Poor'])).toEqual({
    error: 'rated.speed: Choose from the options.',
  });
  expect(await taken(fields(), ['rated.speed', 'bad'], ['rated.speed', 'good'])).toEqual({
    error: 'rated.speed: Choose one option.',
  });
});

test('each row needs an answer where the grid is required', async () => {
  expect(await taken(fields(', required: true'), ['rated.speed', 'bad'])).toEqual({
    error: 'rated.price.tag: Choose an option. rated.__proto__: Choose an option.',
  });
});

test('several options of a row are a list', async () => {
  expect(await taken(fields(', several: true'), ['rated.speed', 'bad'], ['rated.speed', 'good'])).toEqual([
    [['rated', '{"speed":["bad","good"]}']],
  ]);
});

test('each row is a group with its own name, in a table that words head only for the eyes', async () => {
  const relay = await relayWith({
    config: `forms: {survey: {fields: ${fields(', required: true')}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`,
  });
  const { text } = await relay.get('/api/v1/form/survey?rated.speed=good');
  expect(text).toMatch(
    /<fieldset class="field" role="radiogroup" aria-required="true"[^>]*>\s*<legend>Price/,
  );
  expect(text).toMatch(/<div class="grid-head" aria-hidden="true" hidden>/);
  expect(text).toMatch(/name="rated\.speed" value="good" checked/);
});

test('errors name the grid, as another one may have the same rows', async () => {
  const labelled = fields(', label: How was it?, required: true');
  const form = await contact({ fields: labelled });
  const sent: [string, string][] = [['rated.price.tag', 'bad']];
  expect((await form.submit('contact', sent, { 'hx-request': 'true' })).text).toContain('How was it?, speed');
  const { json } = await form.submit('contact', sent, { accept: 'application/problem+json' });
  expect(json).toMatchObject({ errors: [{ label: 'How was it?, speed' }, {}] });
});
