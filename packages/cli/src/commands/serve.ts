import { Command } from 'commander';
import { examples } from '../usage.ts';

export const serve = new Command('serve')
  .summary('answer HTTP')
  .description(
    'answer HTTP on $HOST:$PORT, with the config of --config, CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET or RELAY_CONFIG',
  )
  .addHelpText(
    'after',
    examples(
      ['relay serve', 'serve webform.yaml on port 8080'],
      ['HOST=127.0.0.1 PORT=8081 relay serve', 'only for this machine, on another port'],
    ),
  )
  .action(async (_, command: Command) =>
    (await import('../serve_http.ts')).serve(command.optsWithGlobals().config),
  );
