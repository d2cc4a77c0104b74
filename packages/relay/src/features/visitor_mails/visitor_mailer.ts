import { noFiles } from '../../base/files.ts';
import type { World } from '../../form.ts';
import type { VisitorMailer } from './mailer.ts';

/** The relay's only mailer, loaded with the first mail. */
export const visitorMailer = (world: World): Promise<VisitorMailer> =>
  world.memory.late('visitor mailer', async () => (await import('./mailer.ts')).createVisitorMailer(world));

/** Mails after the answer, which neither waits for the mail nor changes with it. */
export async function mailAfterwards(
  world: World,
  occasion: Omit<Parameters<VisitorMailer['prepare']>[0], 'until'>,
): Promise<void> {
  const { submission, tell } = occasion;
  try {
    const { prepare } = await visitorMailer(world);
    const prepared = await prepare({
      ...occasion,
      // It goes on after the answer, when the memory of files is given back.
      submission: { ...submission, files: noFiles },
      until: world.request.livesOn ? Infinity : submission.deadline,
    });
    if (prepared.ok) await world.afterwards(async () => void (await prepared.value()));
  } catch (error) {
    // The submission stays as it is, whatever bug follows.
    tell({ kind: 'broken', error });
  }
}
