/** Small requests to the studio's server. */
import { ask } from './relay.ts';

export const post = (path: string, values: Readonly<Record<string, string>>) =>
  ask(path, new URLSearchParams(values));
