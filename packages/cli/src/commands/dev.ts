import { Option } from 'commander';
import { Command } from '../usage.ts';
import { portNumber } from './shared_options.ts';

export const dev = new Command('dev')
  .summary('try the forms in a page on this machine; send nothing')
  .description(
    'show the forms in a page on this machine, and what happens to each submission; sends nothing without --live',
  )
  .option('--port <number>', 'the port on 127.0.0.1 (default: $PORT, else 8080)', portNumber)
  .option('--live', 'outputs deliver for real')
  .addOption(new Option('--deliver', 'the former name of --live').hideHelp())
  .examples(
    ['relay dev', 'try webform.yaml at the address that it prints'],
    ['relay --config site/webform.yaml dev --port 8081', 'another config on another port'],
    ['relay dev --live', 'what is sent goes through the real outputs'],
  )
  .runs(async (options) => (await import('../serve_studio.ts')).serveStudio(options));
