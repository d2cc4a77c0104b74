import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { showProblems } from '../../packages/cli/src/terminal.ts';
import { cloudflareLacks, isOfCloudflare } from '../../packages/relay/src/config/platforms/cloudflare.ts';
import { parseConfig, warningsIn } from '../core/parse_config.ts';

/**
 * Each file of test/config-cases is a config, a line of ten dashes, and what `relay config validate` says of it; with
 * `--for cloudflare` if the config's first line says so.
 * `UPDATE=1 npx vitest run test/config/cases.test.ts` writes what it says now; read every changed line.
 */
const cases = new URL('../config-cases/', import.meta.url);
const divider = '----------\n';
const forCloudflare = '# relay config validate --for cloudflare\n';

test.each(readdirSync(cases))('%s', (name) => {
  const file = new URL(name, cases);
  const [config = '', expected] = readFileSync(file, 'utf8').split(divider);
  const said = validate(config, name.includes('reserved'));
  if (process.env.UPDATE) writeFileSync(file, config + divider + said);
  else expect(said).toBe(expected);
});

/** Names for examples are the names of nearly all cases: only those about them show their warning. */
function validate(config: string, showsReserved: boolean): string {
  const lacking = config.startsWith(forCloudflare) ? cloudflareLacks : undefined;
  const result = parseConfig(config, 'webform.yaml', lacking);
  const found = result.ok ? warningsIn(result.value, config, 'webform.yaml', false) : result.error;
  const problems = found
    .filter((one) => !lacking || !isOfCloudflare(one))
    .filter(({ code }) => showsReserved || code !== 'output_address_reserved');
  return [...(problems.length > 0 ? [showProblems(problems)] : []), ...(result.ok ? ['ok'] : [])]
    .map((lines) => `${lines}\n`)
    .join('');
}
