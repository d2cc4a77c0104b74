import { Command } from 'commander';
import { examples } from '../usage.ts';

export const health = new Command('health')
  .summary('ask the relay on this machine whether it answers')
  .description('ask the relay on this machine (PORT) whether it answers, for health checks of containers')
  .addHelpText('after', examples(['relay health', 'ends with 0 if it does, else with 1']))
  .action(async () => (await import('../ask_health.ts')).askHealth());
