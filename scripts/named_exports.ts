import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';

const folder = join(import.meta.dirname, '../packages/relay/exports');

/**
 * An import from one of the lists in `exports/` becomes imports from the modules that have the names. What a
 * command loads at its start would otherwise seem to include every module of the list.
 */
export const namedExports: Plugin = {
  name: 'named-exports',
  transform: {
    filter: { id: /packages.(?!relay\b)[\w-]+.src.*\.ts$/ },
    handler: (code) =>
      code.replaceAll(
        /^import (type )?\{([^}]*)\} from '@form-relay\/relay\/(\w+)';$/gm,
        (_, type: string | undefined, names: string, list: string) =>
          type
            ? ''
            : split(names)
                .filter((name) => !name.startsWith('type '))
                .map((name) => `import { ${name} } from '${moduleOf(name.split(' as ')[0] ?? '', list)}';`)
                .join(' '),
      ),
  },
};

const modules = new Map<string, ReadonlyMap<string, string>>();

function moduleOf(name: string, list: string): string {
  const known = modules.get(list) ?? readList(join(folder, `${list}.ts`));
  modules.set(list, known);
  const path = known.get(name);
  if (path === undefined) throw new Error(`@form-relay/relay/${list} does not export ${name}`);
  return path;
}

const readList = (file: string): ReadonlyMap<string, string> =>
  new Map(
    [...readFileSync(file, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';$/gm)].flatMap(
      ([, names = '', path = '']) => split(names).map((name) => [name, join(folder, path)] as const),
    ),
  );

const split = (names: string): readonly string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
