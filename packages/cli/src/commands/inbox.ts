import { Command, fileName } from '../usage.ts';
import { portNumber } from './shared_options.ts';

export const inbox = new Command('inbox')
  .summary('read submissions in a page on this machine')
  .description(
    'show in a page on this machine what came in, from the archives and the kept deliveries of the config',
  )
  .option('--port <number>', 'the port on 127.0.0.1 (default: $PORT, else 8080)', portNumber)
  .option('--listen [address]', "for the people of the config's inbox, such as 127.0.0.1:8090")
  .option('--index <folder>', 'where the search index is (default: a cache folder)', fileName)
  .examples(
    ['relay inbox', 'open the address that it prints'],
    ['relay --config site/webform.yaml inbox --port 8090', 'another config on another port'],
    ['relay inbox --listen', 'beside the relay, for people who sign in'],
  )
  .runs(async (options) => (await import('../serve_inbox.ts')).serveInbox(options));
