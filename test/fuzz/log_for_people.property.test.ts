/** The log in a terminal: whatever a server or a visitor brought into a line, it stays in that line and steers nothing. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prettyFormat } from '../../packages/runtimes/src/pretty_format.ts';
import { runs } from '../support/fuzz.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        '\x1b[2J',
        '\x1b]0;',
        '\x07',
        '\r',
        '\n',
        '\t',
        '\x9b',
        '\u202e',
        '\u2066',
        '"',
        '=',
        'a',
      ),
      {
        maxLength: 6,
      },
    )
    .map((pieces) => pieces.join('')),
);
const value = fc.oneof(
  hostile,
  fc.array(hostile, { maxLength: 3 }),
  fc.dictionary(hostile, hostile, { maxKeys: 2 }),
  fc.integer(),
);
const fields = fc.record(
  {
    form: hostile,
    outcome: hostile,
    reason: hostile,
    request_id: hostile,
    trace_id: hostile,
    server: value,
    stack: fc.array(hostile, { maxLength: 3 }),
    deliveries: fc.array(fc.record({ output: fc.nat(9), type: hostile, outcome: hostile, reason: value }), {
      maxLength: 3,
    }),
  },
  { requiredKeys: [] },
);

test('each line is one line of the log, and holds nothing that a terminal obeys or turns round', () => {
  const [plain, coloured] = [prettyFormat(false), prettyFormat(true)];
  fc.assert(
    fc.property(fields, (given) => {
      const text = plain(0, 'warn', 'delivery_failed', given);
      const lines = text.split('\n');
      expect(lines).toHaveLength(1 + (given.deliveries?.length ?? 0) + (given.stack?.length ?? 0));
      // What the relay itself colours is taken off.
      const inColour = coloured(0, 'warn', 'delivery_failed', given).replaceAll(/\x1b\[\d+m/g, '');
      for (const one of [text, inColour])
        expect(one.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029]|\p{Bidi_Control}/u);
    }),
    runs(50),
  );
});
