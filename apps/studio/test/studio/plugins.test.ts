/** The studio offers what the plug-ins of the config add. */
import { expect, test } from 'vitest';
import { stage, stateAt } from './stage.ts';

test('the palette and the schema have the types of plug-ins', async () => {
  const config =
    'forms: {paint: {fields: [{name: wall, type: color}], outputs: [{type: http_post, url: "https://crm.firm.de/", mapping: "*"}]}}';
  const at = await stage({ config, env: { RELAY_PLUGINS: './examples/plugins' } });
  expect((await stateAt(at)).problems).toEqual([]);
  const { parts } = JSON.parse((await at.request('/studio/palette.json')).text);
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: 'color',
      title: 'Colour',
      value: { name: 'color', type: 'color', label: 'Colour' },
    }),
  );
  const schema = (await at.request('/studio/schema.json')).text;
  for (const word of ['"color"', '"gotify"', '"blocked_domains"']) expect(schema).toContain(word);
});
