import { Command } from 'commander';
import { examples } from '../usage.ts';

export const formCss = new Command('css')
  .summary('print a stylesheet for forms')
  .description('print the stylesheet of forms, as /api/v1/form.css has it, to serve it with your own pages')
  .addHelpText('after', examples(['relay form css > form-relay.css', 'to put it among your own stylesheets']))
  .action(async () => {
    const { formStyle } = await import('@form-relay/element/built/style');
    process.stdout.write(formStyle.toString().trimStart());
  });
