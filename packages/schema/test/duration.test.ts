import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import { parseDuration } from '../src/duration.ts';
import { didYouMean } from '../src/suggestion.ts';

const units = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];

test.each([
  ['0', 0],
  ['30s', 30_000],
  ['2h', 7_200_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1.001s', 1_001],
  ['250ms', 250],
  ['1\u00B5s', 0.001],
  ['1ns', 0.000001],
  ['2562047h', 2_562_047 * 3_600_000],
])('parses what Go parses, as milliseconds: %j', (text, ms) => expect(must(parseDuration(text))).toBe(ms));

const write = 'write a duration such as 30s, 10m or 1h30m';

// In addition to packages/config/test/cases/duration_*.txt.
test.each([
  [' 30s', `${write} (did you mean 30s?)`],
  ['.s', write],
  ['00', 'the unit is missing; for seconds, write 00s'],
  ['30s ', `${write} (did you mean 30s?)`],
  ['1 Hour and 30 Minutes', `${write} (did you mean 1h30m?)`],
  ['2 days 1 hr', `${write} (did you mean 48h1h?)`],
  ['9223372036854775808ns', 'the duration is too long; the limit is about 292 years'],
  ['2562048h', 'the duration is too long; the limit is about 292 years'],
])('says what is wrong with anything else: %j', (text, problem) => {
  const parsed = parseDuration(text);
  if (parsed.ok) expect.unreachable();
  expect(parsed.error.problem + didYouMean(parsed.error.suggestion)).toBe(problem);
});

test('any text is a duration as Go defines it, or has a problem', async () => {
  const grammar = /^\+?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$|^-0$/;
  const piece = fc.oneof(
    fc.constantFrom('0', '1', '30', '.', '-', '+', ' ', 'e', 'd', '_', ...units),
    fc.string({ maxLength: 2 }),
  );
  await holds(500, [fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))], (text) => {
    const parsed = parseDuration(text);
    expect(parsed.ok).toBe(grammar.test(text));
    if (!parsed.ok) expect(parsed.error.problem).not.toBe('');
  });
});
