import type { World } from '../../form.ts';
import type { VisitorMailer } from './mailer.ts';

/** The relay's only mailer, loaded with the first mail. */
export const visitorMailer = (world: World): Promise<VisitorMailer> =>
  world.memory.late('visitor mailer', async () => (await import('./mailer.ts')).createVisitorMailer(world));
