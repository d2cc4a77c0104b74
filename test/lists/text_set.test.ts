import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextSet } from '../../packages/spam/src/lists/text_set.ts';

test('a set of texts has what was added, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (added, others) => {
      const set = new TextSet();
      for (const one of added) set.add(one);
      for (const one of [...added, ...others]) expect(set.has(one)).toBe(added.includes(one));
    }),
  );
});
