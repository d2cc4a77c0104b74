/** `relay serve` without options, as containers start it: nothing of the other commands is loaded. */
import { readEnvironment, run } from './run.ts';
import { serve } from './serve_http.ts';

void run(async () => {
  await readEnvironment(undefined);
  await serve(undefined);
});
