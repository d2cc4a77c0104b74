/** The type of a field: changing it keeps what the other type takes. */
import type { Json, Path } from '../../../edit/index.ts';
import { Options } from '../../button.tsx';
import { Frame } from '../settings/index.ts';
import { palette } from './picture.tsx';
import { changeType } from './types.ts';

interface TypeProps {
  /** The field's. */
  readonly path: Path;
  readonly written: { readonly [key: string]: Json };
  readonly title: string;
}

export function TypeSelect({ path, written, title }: TypeProps) {
  const types = palette.value?.parts.filter(({ value }) => value?.name !== undefined);
  return (
    <Frame path={[...path, 'type']} label="Type">
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
