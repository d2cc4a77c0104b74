/** The type of a field, of the form or of entries: changing it keeps what the other type takes. */
import type { Json, Path } from '../../../edit/index.ts';
import { Options } from '../../options.tsx';
import { Frame } from '../settings/index.ts';
import { palette } from './picture.tsx';
import { changeType } from './types.ts';

interface TypeProps {
  /** The field's. */
  readonly path: Path;
  readonly written: { readonly [key: string]: Json };
  readonly title: string;
  /** Types that it cannot have. */
  readonly without?: readonly string[];
}

export function TypeSelect({ path, written, title, without = [] }: TypeProps) {
  const types = palette.value?.parts.filter(
    ({ type, value }) => value?.name !== undefined && !without.includes(type),
  );
  return (
    <Frame path={[...path, 'type']} label="Type" hidesKey>
      {(named) => (
        <select
          {...named}
          value={String(written.type ?? 'text')}
          onChange={({ currentTarget: { value, selectedOptions } }) =>
            changeType(path, written, value, title, selectedOptions[0]?.text ?? value)
          }
        >
          <Options of={types?.map((one) => [one.type, one.title]) ?? []} />
        </select>
      )}
    </Frame>
  );
}
