import { expect, test } from 'vitest';
import { sampleValues } from '../../packages/studio/src/samples.ts';
import { parseConfig } from '../support/parse_config.ts';

/** A Wednesday. */
const now = Date.UTC(2026, 10, 25);

test.each([
  ['type: date, closed: [wednesday, 2026-12-03 to 2026-12-04]', '2026-12-05'],
  ['type: time, hours: 15:00-15:30, step: 15m', '15:00'],
  ['type: datetime, hours: {saturday: 19:00-20:00}', '2026-12-05T19:00'],
  ['type: month', '2026-12'],
  ['type: month, max: 2020-01', '2020-01'],
])('a sample is a value that the field takes: {%s}', (keys, value) => {
  const parsed = parseConfig(
    `forms: {f: {time_zone: UTC, fields: [{name: f, ${keys}}], outputs: [{type: http_post, url: "https://a.example/", mapping: "*"}]}}`,
    'webform.yaml',
  );
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('\n'));
  const form = parsed.value.forms.get('f');
  expect(form && sampleValues(form, now)).toEqual([['f', value]]);
});
