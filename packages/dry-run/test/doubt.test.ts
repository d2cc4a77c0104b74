/** The report of `relay explain` and of the studio on the signals of a form. */

import { signalTypes } from '@form-relay/spam/signals/index';
import { expect, test } from 'vitest';
import { showReport } from '../src/show_report.ts';
import { stage } from './stage.ts';

async function reportOf(spam: string, message: string) {
  const { send } = stage({
    config: `
forms:
  contact:
    spam: ${spam}
    fields: [{name: message}]
    outputs: [{type: http_post, url: "https://crm.example/", mapping: "*"}]
`,
  });
  const { report } = await send('contact', { message });
  return { report, doubt: report.checks.find(({ check }) => check === 'doubt') };
}

/** The tests cover how points are shown, not how they are computed. */
const signals = (own: object) =>
  JSON.stringify({
    ...Object.fromEntries(
      signalTypes.filter(({ example }) => example === undefined).map(({ name }) => [name, 0]),
    ),
    ...own,
  });

const offer = Array.from({ length: 8 }, (_, nth) => `https://offer-${nth}.example/`).join(' ');

test('each signal, with its points and why; and from where what holds', async () => {
  const { report, doubt } = await reportOf(
    `{doubt: {observe: 0.5, tag: 1}, signals: ${signals({ links: 9 })}}`,
    offer,
  );
  expect(doubt?.verdict).toBe('passed');
  expect(doubt?.says).toMatch(/^\d+(\.\d)? points: tagged \(observe from 0\.5, tag from 1\)$/);
  const links = doubt?.signals?.find(({ signal }) => signal === 'links');
  expect(links?.points).toBeGreaterThan(0);
  const printed = showReport(report, process.stdout);
  expect(printed).toMatch(new RegExp(`^ +${links?.points}  links +${links?.why.slice(0, 5)}`, 'm'));
  expect(printed).toContain('x-form-doubt: ');
});
