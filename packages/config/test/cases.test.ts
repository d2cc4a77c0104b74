import { configCases } from '../../../test/support/config_cases.ts';
import { inspect } from '../../../test/support/parse_config.ts';
import { listProblems } from '../../../test/support/problem_list.ts';
import { unsupportedOnCloudflare } from '../../runtimes/src/cloudflare/unsupported.ts';

/** The first line of a config that is checked with `--for cloudflare`. */
const forCloudflare = '# relay config validate --for cloudflare\n';

/** `UPDATE=1 npx vitest run packages/config/test/cases.test.ts` writes the current output. Read every changed line. */
test.each(configCases)('$name', async ({ name, config, expected, rewrite }) => {
  const problems = await validate(config, name.includes('reserved'));
  if (process.env.UPDATE) rewrite(problems);
  else expect(problems).toBe(expected);
});

/** Nearly all cases use example names, so only cases about them show the warning. */
async function validate(config: string, showsReserved: boolean): Promise<string> {
  const isForCloudflare = config.startsWith(forCloudflare);
  const checkPlatform = isForCloudflare ? unsupportedOnCloudflare : undefined;
  const { isOk, problems: found } = await inspect(config, 'webform.yaml', checkPlatform);
  const problems = found
    .filter(({ code }) => !isForCloudflare || code !== 'store_of_platform')
    .filter(({ code }) => showsReserved || !code?.endsWith('_address_reserved'));
  return listProblems(problems, config) + (isOk ? 'ok\n' : '');
}
