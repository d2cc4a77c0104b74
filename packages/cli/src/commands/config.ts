import { type Command as AnyCommand, Option } from 'commander';
import { Command, nameTheConfig } from '../usage.ts';

const configValidate = new Command('validate')
  .summary('print "ok", or everything that is wrong')
  .description('parse the config and print "ok", or everything that is wrong with it')
  .addOption(
    new Option('--format <format>', 'github: annotations of a pull request, as with --strict')
      .choices(['text', 'json', 'github'])
      .default('text'),
  )
  .addOption(new Option('--for <platform>', 'also tell what this platform cannot do').choices(['cloudflare']))
  .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
  .option('--strict', 'warnings are errors')
  .examples(
    ['relay config validate', 'exit code 1 when the config does not load'],
    ['relay config validate --for cloudflare', 'before wrangler deploy'],
    ['relay config validate --json', 'for other programs'],
    ['relay config validate --no-plugins --strict', 'in CI: without running code of a pull request'],
    ['relay config validate --no-plugins --format github', 'the same for a GitHub workflow'],
  )
  .allowExcessArguments()
  .action(async (_, command: AnyCommand) => {
    const [file] = command.args;
    if (file !== undefined) command.error(`error: too many arguments; ${nameTheConfig(file)}`);
    return (await import('../report_problems.ts')).reportProblems(command.optsWithGlobals());
  });

const configSchema = new Command('schema')
  .summary('print the JSON Schema of the config')
  .description(
    'print the JSON Schema of the config, for editors that complete and check it; with --config, also what its plug-ins add',
  )
  .examples(['relay config schema > webform.schema.json', 'the file that a config from relay init names'])
  .runs(async ({ config }) => {
    const { configSchemaText } = await import('@form-relay/runtimes/inspect');
    if (config === undefined) return void process.stdout.write(await configSchemaText());
    const { loadedPlugins } = await import('../load_config.ts');
    process.stdout.write(await configSchemaText(await loadedPlugins(config)));
  });

export const config = new Command('config')
  .description('look at the config')
  .addCommands(configValidate, configSchema);
