import { Command, Option } from 'commander';
import { examples, nameTheConfig } from '../usage.ts';

export const configValidate = new Command('validate')
  .summary('print "ok", or everything that is wrong')
  .description('parse the config and print "ok", or everything that is wrong with it')
  .addOption(
    new Option('--format <format>', 'github: annotations of a pull request')
      .choices(['text', 'json', 'github'])
      .default('text'),
  )
  .addOption(new Option('--for <platform>', 'also tell what this platform cannot do').choices(['cloudflare']))
  .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
  .addHelpText(
    'after',
    examples(
      ['relay config validate', 'exit code 1 when the config does not load'],
      ['relay config validate --for cloudflare', 'before wrangler deploy'],
      ['relay config validate --json', 'for other programs'],
      ['relay config validate --format github', 'for a GitHub workflow'],
    ),
  )
  .allowExcessArguments()
  .action(async (_, command: Command) => {
    const [file] = command.args;
    if (file !== undefined) command.error(`error: too many arguments; ${nameTheConfig(file)}`);
    return (await import('../report_problems.ts')).reportProblems(command.optsWithGlobals());
  });
