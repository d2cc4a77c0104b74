import { removingIn, removingNothing, treeIn } from '@form-relay/stored/archive/in_folder';
import { type Pruned, prune } from '@form-relay/stored/archive/prune';
import { CommandFailed } from './command_failed.ts';
import { isBucket, withArchive } from './open_archive.ts';
import { count } from './terminal.ts';

export interface PruneOptions {
  readonly from: string;
  readonly form?: string;
  /** In milliseconds. */
  readonly olderThan: number;
  readonly dryRun?: boolean;
}

/** Removes what was received so long ago, and says what that was. */
export async function pruneArchive({ from, form, olderThan, dryRun = false }: PruneOptions): Promise<void> {
  if (isBucket(from))
    throw new CommandFailed(
      'a bucket forgets by itself: give it a lifecycle rule that expires objects after so many days',
    );
  await withArchive({ from }, async (_, tell) => {
    let isForeign = false;
    const removing = dryRun ? removingNothing : removingIn(from);
    const rule = { form, before: Date.now() - olderThan };
    const pruned = await prune(treeIn(from), removing, rule, (trouble) => {
      isForeign = true;
      tell(trouble);
    });
    if (isForeign && pruned.cleared + pruned.kept === 0)
      throw new CommandFailed(`${from} is no archive: it holds no folder FORM/YEAR/MONTH/DAY`);
    process.stdout.write(inWords(pruned, dryRun));
  });
}

function inWords({ submissions, files, orphans, kept }: Pruned, isDryRun: boolean): string {
  const removed = `${isDryRun ? 'would remove' : 'removed'} ${count(submissions, 'submission')} with ${count(files, 'file')}`;
  const unfinished = orphans === 0 ? '' : `, and ${count(orphans, 'file')} whose submission was never whole`;
  return `${removed}${unfinished}\nkept ${count(kept, 'day')} of younger ones\n`;
}
