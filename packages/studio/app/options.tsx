import type { ComponentChildren } from 'preact';

interface OptionsProps {
  /** Values with their words. */
  readonly of: Iterable<readonly [value: string | number, words: ComponentChildren]>;
}

/** What a `<select>` offers. */
export const Options = ({ of }: OptionsProps) => (
  <>
    {[...of].map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </>
);
