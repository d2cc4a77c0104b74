import { Command } from '../usage.ts';

export const mcp = new Command('mcp')
  .summary('serve an assistant over the Model Context Protocol')
  .description(
    'serve an assistant over the Model Context Protocol on stdin and stdout: it searches the manual, and writes, checks and tries the config; sends nothing',
  )
  .option('--values', 'also show what visitors wrote; the assistant can then not write the config')
  .addHelpText('after', `\nAssistants start it themselves: docs/assistants.md shows the settings.`)
  .examples(
    ['relay --config site/webform.yaml mcp', 'for the config of a site'],
    ['relay mcp --values', 'for an assistant that may read submissions'],
  )
  .runs(async (options) => (await import('../serve_mcp.ts')).serveMcp(options));
