import type { World } from '../../form.ts';
import type { VisitorMailer } from './mailer.ts';

/** One for the whole relay, loaded with the first mail. */
export const visitorMailer = (world: World): Promise<VisitorMailer> =>
  world.memory.late('visitor mailer', async () => (await import('./mailer.ts')).createVisitorMailer(world));
