import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inspect } from '../../../test/support/parse_config.ts';
import { listProblems } from '../../../test/support/problem_list.ts';
import { unsupportedOnCloudflare } from '../../runtimes/src/cloudflare/unsupported.ts';

/**
 * Each file of packages/config/test/cases is a config, a line of ten dashes, and the problems that `relay config validate` prints
 * (test/support/problem_list.ts); with `--for cloudflare` if the config's first line says so.
 * `UPDATE=1 npx vitest run packages/config/test/cases.test.ts` writes what it says now; read every changed line.
 */
const cases = new URL('./cases/', import.meta.url);
const divider = '----------\n';
const forCloudflare = '# relay config validate --for cloudflare\n';

test.each(readdirSync(cases))('%s', async (name) => {
  const file = new URL(name, cases);
  const [config = '', expected] = readFileSync(file, 'utf8').split(divider);
  const said = await validate(config, name.includes('reserved'));
  if (process.env.UPDATE) writeFileSync(file, config + divider + said);
  else expect(said).toBe(expected);
});

/** Names for examples are the names of nearly all cases: only those about them show their warning. */
async function validate(config: string, showsReserved: boolean): Promise<string> {
  const isForCloudflare = config.startsWith(forCloudflare);
  const checkPlatform = isForCloudflare ? unsupportedOnCloudflare : undefined;
  const { isOk, problems: found } = await inspect(config, 'webform.yaml', checkPlatform);
  const problems = found
    .filter(({ code }) => !isForCloudflare || code !== 'store_of_platform')
    .filter(({ code }) => showsReserved || code !== 'output_address_reserved');
  return listProblems(problems, config) + (isOk ? 'ok\n' : '');
}
