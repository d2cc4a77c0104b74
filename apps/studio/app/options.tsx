import type { ComponentChildren } from 'preact';

type Option = readonly [value: string | number, words: ComponentChildren];

/** The options of a `<select>`: values with their words. */
export const Options = ({ of }: { readonly of: Iterable<Option> }) => (
  <>
    {[...of].map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </>
);
