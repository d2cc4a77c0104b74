import { Command } from 'commander';
import { examples, fileName } from '../usage.ts';

export const configBuild = new Command('build')
  .summary('check the config, and print it so that a function on AWS Lambda reads it faster')
  .description(
    'check the config, and print it with its forms in parts, of which a function on AWS Lambda reads only those that it is asked for; it stays YAML, and every relay reads it',
  )
  .option('--out <file>', 'write it to this file', fileName)
  .addHelpText(
    'after',
    examples([
      'relay config build --out built.yaml',
      'the file that a function gets in place of webform.yaml',
    ]),
  )
  .action(async (_, command: Command) =>
    (await import('../build_config.ts')).writeBuiltConfig(command.optsWithGlobals()),
  );
