import { Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../usage.ts';

export const dev = new Command('dev')
  .summary('try the forms in a page on this machine; send nothing')
  .description(
    'show the forms in a page on this machine, and what happens to each submission; sends nothing without --live',
  )
  .option('--port <number>', 'the port on 127.0.0.1 (default: $PORT, else 8080)', portNumber)
  .option('--live', 'outputs deliver for real')
  .addOption(new Option('--deliver', 'the former name of --live').hideHelp())
  .addHelpText(
    'after',
    examples(
      ['relay dev', 'try webform.yaml at http://127.0.0.1:8080'],
      ['relay --config site/webform.yaml dev --port 8081', 'another config on another port'],
      ['relay dev --live', 'what is sent goes through the real outputs'],
    ),
  )
  .action(async (_, command: Command) =>
    (await import('../serve_studio.ts')).serveStudio(command.optsWithGlobals()),
  );

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}
