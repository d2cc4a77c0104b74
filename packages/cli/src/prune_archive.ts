import type { Tell } from '@form-relay/stored/archive/archive';
import { isBucket } from '@form-relay/stored/archive/open';
import type { Pruned } from '@form-relay/stored/archive/prune';
import {
  isMade,
  openPruned,
  type PrunedArchive,
  pruneUnlessHeld,
} from '@form-relay/stored/archive/prune_daily';
import { prunedArchives } from '@form-relay/stored/archive/retention';
import { forgetInIndexes } from '@form-relay/stored/search_index';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { withArchive } from './open_archive.ts';
import { loadOwnConfig } from './own_setup.ts';
import { count } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';

export interface PruneOptions extends GlobalOptions {
  /** Default: the archives of the config, by its `archive`. */
  readonly from?: string;
  readonly form?: string;
  /** In milliseconds; given with `from`. */
  readonly olderThan?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Removes what was received so long ago, and says what that was. */
export async function pruneArchive({ from, form, olderThan = 0, ...options }: PruneOptions): Promise<void> {
  if (from === undefined) return pruneOwn(options);
  const before = Date.now() - olderThan;
  const rule = { before: (one: string) => (form === undefined || form === one ? before : undefined) };
  await pruneOne(from, options, (open, tell) => open.prune(rule, tell, options.dryRun).then(done));
}

/** The archives of the config. */
async function pruneOwn(options: PruneOptions): Promise<void> {
  const config = await loadOwnConfig(options.config);
  const archives = [...prunedArchives(config, Date.now())].filter(([archive]) => isMade(archive));
  if (archives.length === 0)
    throw new CommandFailed('the config has no `archive: {for: …}`; --from names an archive');
  const held: string[] = [];
  for (const [archive, before] of archives) {
    process.stdout.write(`${printable(archive)}\n`);
    const reason = await pruneOne(archive, options, (open, tell) =>
      options.dryRun
        ? open.prune({ before }, tell, true).then(done)
        : pruneUnlessHeld(open, { before }, Date.now(), tell, options.yes),
    );
    if (reason !== undefined) held.push(`${printable(archive)}: nothing was removed: ${reason}`);
  }
  if (held.length > 0) throw new CommandFailed(`${held.join('\n')}\nIf that is right, --yes removes them.`);
}

interface Ending {
  readonly pruned: Pruned;
  /** Why nothing was removed. */
  readonly reason?: string;
}

const done = (pruned: Pruned): Ending => ({ pruned });

/** Returns why nothing was removed. */
async function pruneOne(
  from: string,
  { dryRun = false }: PruneOptions,
  work: (open: PrunedArchive, tell: Tell) => Promise<Ending>,
): Promise<string | undefined> {
  let why: string | undefined;
  await withArchive({ from }, async (_, tell) => {
    let isForeign = false;
    const { pruned, reason } = await work(openPruned(from), (trouble) => {
      isForeign = true;
      tell(trouble);
    });
    if (isForeign && pruned.cleared + pruned.kept === 0)
      throw new CommandFailed(`${from} is no archive: it holds no folder FORM/YEAR/MONTH/DAY`);
    why = reason;
    if (!dryRun && pruned.submissions > 0) forgetInIndexes(from, process.env);
    process.stdout.write(inWords(pruned, dryRun || reason !== undefined, isBucket(from)));
  });
  return why;
}

function inWords(
  { submissions, files, orphans, kept }: Pruned,
  isDryRun: boolean,
  isOfForms: boolean,
): string {
  const removed = `${isDryRun ? 'would remove' : 'removed'} ${count(submissions, 'submission')} with ${count(files, 'file')}`;
  const unfinished = orphans === 0 ? '' : `, and ${count(orphans, 'file')} whose submission was never whole`;
  const younger = isOfForms
    ? `kept the younger ones of ${count(kept, 'form')}`
    : `kept ${count(kept, 'day')} of younger ones`;
  return `${removed}${unfinished}\n${younger}\n`;
}
