import { sampleValues } from '@form-relay/dry-run/samples';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../test/support/parse_config.ts';

/** A Wednesday. */
const now = Date.UTC(2026, 10, 25);

test.each([
  ['type: rating', [['f', '4']]],
  ['type: scale', [['f', '9']]],
  ['type: country', [['f', 'GB']]],
  ['type: country, countries: [DE, AT]', [['f', 'DE']]],
  [
    'type: address',
    [
      ['f.country', 'GB'],
      ['f.line1', "12 St James's Square"],
      ['f.line2', 'First floor'],
      ['f.city', 'London'],
      ['f.region', 'Greater London'],
      ['f.postal_code', 'W1S 4BE'],
    ],
  ],
])('a sample is what people would choose and write: {%s}', (keys, values) => {
  expect(samplesOf(keys)).toEqual(values);
});

test.each([
  ['type: date', '2026-12-02'],
  ['type: date, max: 2026-12-01', '2026-12-01'],
  ['type: time, min: 15:00, max: 15:30, step: 15m', '15:00'],
  ['type: datetime, step: 8h', '2026-12-02T00:00'],
  ['type: datetime, min: 2026-12-05 19:00, step: 1h', '2026-12-05T19:00'],
])('a sample is a value that the field takes: {%s}', (keys, value) => {
  expect(samplesOf(keys)).toEqual([['f', value]]);
});

function samplesOf(keys: string) {
  const parsed = parseConfig(
    `forms: {f: {time_zone: UTC, fields: [{name: f, ${keys}}], outputs: [{type: http_post, url: "https://a.example/", mapping: "*"}]}}`,
    'webform.yaml',
  );
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('\n'));
  const form = parsed.value.forms.get('f');
  return form && sampleValues(form, now);
}
