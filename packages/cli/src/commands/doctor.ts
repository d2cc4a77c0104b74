import { Command } from '../usage.ts';

export const doctor = new Command('doctor')
  .summary('check everything that a submission needs')
  .description(
    'check everything that a submission needs: config, environment, servers, DNS; sends no submission',
  )
  .option('--json', 'print the diagnoses as JSON')
  .option('--write', 'write one object into each archive, and delete it')
  .addHelpText(
    'after',
    `\nRun it where the relay runs, with the same environment and config.\nExit code: 0 if nothing would fail, 1 if something would.`,
  )
  .examples(
    ['relay doctor', 'each line says ok, warning or FAILURE, and what to do'],
    ['relay doctor --json', 'for other programs'],
  )
  .runs(async (options) => (await import('../run_doctor.ts')).runDoctor(options));
