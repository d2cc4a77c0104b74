/** `relay serve` without options, as containers start it. Loads nothing of the other commands. */
import { readEnvironment, run } from './environment.ts';
import { serve } from './serve_http.ts';

void run(async () => {
  readEnvironment(undefined);
  await serve(undefined);
});
