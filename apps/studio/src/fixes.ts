/** The fixes that a click applies: a problem's advice, where that leaves nothing to choose. */
import type { Problem } from '@form-relay/yaml/problem';
import type { Json, Path } from '../edit/action.ts';
import type { Fix } from './state.ts';

export function fixOf({ code, path: written, meant, fix }: Problem): Fix | undefined {
  if (meant) return { name: `Change to ${meant.text}`, text: meant.text };
  const path = pathIn(written);
  if (code === 'output_address_reserved') return { name: 'Choose where it goes', outputsOf: String(path[1]) };
  if (!fix) return undefined;
  if (fix === 'remove') return { name: `Remove ${path.at(-1)}`, actions: [{ do: 'remove', path }] };
  const [first] = fix;
  return (
    first && {
      name: `Set ${first[0].at(-1)} to ${shown(first[1])}`,
      actions: fix.map(([at, value]) => ({ do: 'set', path: at, value: value as Json })),
    }
  );
}

/** A block is named by its first value. */
const shown = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : value;

/** As `formatPath` of packages/yaml/src/problem.ts writes it. */
const pathIn = (text: string): Path =>
  [...text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) =>
    index !== undefined ? Number(index) : quoted !== undefined ? JSON.parse(quoted) : name,
  );
