/** Files that the examples import exist: no other test runs these programs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const examples = new URL('../../examples/', import.meta.url);
const programs = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((path) =>
  // `relay plugin new` replaces the imports of starters.
  /(?<!starters\/\w+\.test)\.(m?js|tsx?|jsx)$/.test(path),
);

test.each(programs)('%s imports existing files', (path) => {
  const program = new URL(path, examples);
  const imports = [...readFileSync(program, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)];
  for (const [, file = ''] of imports) expect(existsSync(new URL(file, program)), file).toBe(true);
});
