/** prom-client, which shares no code with the relay, counts and writes the same. */
import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { property } from '../../../test/support/fuzz.ts';
import { createTally, metrics } from '../src/metrics/tally.ts';

const counter = 'form_relay_submissions_total';
const histogram = 'form_relay_submission_duration_seconds';
const { bounds } = metrics[histogram];

/** Only a few names, so that they repeat. Names of forms contain no control characters. */
const form = fc.constantFrom('contact', 'a"b', 'a\\', '\\n', '{}', ',="', 'é\u2028', '(unknown)');
const event = fc.oneof(
  fc.record({ form, outcome: fc.constantFrom('delivered', 'dropped'), by: fc.nat(1_000) }),
  // Quarters add up without rounding errors. A value equal to a bound belongs to that bound's bucket.
  fc.record({
    form,
    seconds: fc.oneof(
      fc.nat(120).map((n) => n / 4),
      fc.constantFrom(0.25, 0.5, 1, 2.5, 5, 10, 25),
    ),
  }),
);

property('the relay and prom-client agree', 20, [fc.array(event)], async (events) => {
  const tally = createTally();
  const registry = new Registry();
  const about = (name: typeof counter | typeof histogram) => ({
    name,
    help: metrics[name].help,
    labelNames: [...metrics[name].labels],
    registers: [registry],
  });
  const counts = new Counter(about(counter));
  const times = new Histogram({ ...about(histogram), buckets: [...bounds] });
  events.forEach((one) => {
    if ('seconds' in one) {
      tally.observe(histogram, one.seconds, one.form);
      times.observe({ form: one.form }, one.seconds);
    } else {
      tally.add(counter, one.by, one.form, one.outcome);
      counts.inc({ form: one.form, outcome: one.outcome }, one.by);
    }
  });
  const ours = tally.text({});
  expect(linesOf(ours)).toEqual(linesOf(await registry.metrics()));
});

/** The lines in a fixed order, each with sorted labels. Families without samples are ignored. */
function linesOf(text: string): readonly string[] {
  const samples = text.split('\n').filter((line) => /^[a-z]/.test(line));
  const names = new Set(samples.map((line) => line.replace(/(_bucket|_sum|_count)?[{ ].*/, '')));
  const comments = text
    .split('\n')
    .filter((line) => line.startsWith('#') && names.has(line.split(' ')[2] ?? ''));
  return [...comments, ...samples.map(withSortedLabels)].toSorted();
}

function withSortedLabels(line: string): string {
  const labels = [...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([pair]) => pair);
  return `${line.replace(/\{.*\}/s, '')} ${labels.toSorted().join()}`;
}
