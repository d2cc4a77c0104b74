import { count } from '@form-relay/base/terminal';
import { type CommandContext, CommandFailed, command, flag, option } from '@form-relay/core/command';
import { printable } from '@form-relay/yaml/problem';
import { archiveName, form, wholeDays } from '../options.ts';
import { forgetInIndexes } from '../search_index.ts';
import { withArchive } from '../terminal.ts';
import type { Tell } from './archive.ts';
import { isBucket } from './open.ts';
import type { Pruned } from './prune.ts';
import { isMade, openPruned, type PrunedArchive, pruneUnlessHeld } from './prune_daily.ts';
import { prunedArchives } from './retention.ts';

export const prune = command({
  name: 'prune',
  summary: 'remove old submissions',
  description:
    'remove submissions older than a number of days, with their files: from one archive, or from those of the config, by its key `archive`',
  options: {
    from: option(
      'archive',
      'the archive: a folder, or s3://BUCKET/PREFIX (default: the archives of the config)',
      archiveName,
    ),
    olderThan: option('days', 'with --from: maximum age, such as 90d', wholeDays),
    form,
    dryRun: flag('only list, remove nothing'),
    yes: flag('without --from: even if far more than usual would be removed'),
  },
  examples: [
    ['relay archive prune --from archive --older-than 90d --dry-run', 'list what would be removed'],
    ['relay archive prune --from archive --older-than 90d', 'each night, from cron or a timer'],
  ],
  run: async ({ from, olderThan, form: only, ...options }, context) => {
    if (from !== undefined && olderThan === undefined)
      throw context.misuse("required option '--older-than <days>' not specified");
    if (from === undefined && (olderThan ?? only) !== undefined)
      throw context.misuse("required option '--from <archive>' not specified");
    if (from === undefined) await pruneOwn(options, context);
    else await pruneArchive(from, only, olderThan ?? 0, options);
  },
});

interface PruneOptions {
  readonly dryRun: true | undefined;
  readonly yes: true | undefined;
}

/** Removes submissions older than this from an archive, and prints what was removed. */
async function pruneArchive(
  from: string,
  form: string | undefined,
  olderThan: number,
  options: PruneOptions,
): Promise<void> {
  const before = Date.now() - olderThan;
  const rule = { before: (one: string) => (form === undefined || form === one ? before : undefined) };
  await pruneOne(from, options, (open, tell) => open.prune(rule, tell, options.dryRun).then(done));
}

/** Prunes the archives of the config. */
async function pruneOwn(options: PruneOptions, context: CommandContext): Promise<void> {
  const config = await context.config();
  const archives = [...prunedArchives(config, Date.now())].filter(([archive]) => isMade(archive));
  if (archives.length === 0)
    throw new CommandFailed('the config has no `archive: {for: …}`; give an archive with --from');
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
  if (held.length > 0)
    throw new CommandFailed(
      `${held.join('\n')}\nIf this is intended, add --yes to remove these submissions.`,
    );
}

interface Ending {
  readonly pruned: Pruned;
  /** Why nothing was removed. */
  readonly reason?: string;
}

const done = (pruned: Pruned): Ending => ({ pruned });

/** Prunes an archive. Returns the reason if nothing was removed. */
async function pruneOne(
  from: string,
  { dryRun }: Pick<PruneOptions, 'dryRun'>,
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
      throw new CommandFailed(`${from} is not an archive: it has no folder FORM/YEAR/MONTH/DAY`);
    why = reason;
    if (!dryRun && pruned.submissions > 0) forgetInIndexes(from, process.env);
    process.stdout.write(inWords(pruned, dryRun === true || reason !== undefined, isBucket(from)));
  });
  return why;
}

function inWords(
  { submissions, files, orphans, kept }: Pruned,
  isDryRun: boolean,
  isOfForms: boolean,
): string {
  const removed = `${isDryRun ? 'would remove' : 'removed'} ${count(submissions, 'submission')} with ${count(files, 'file')}`;
  const unfinished = orphans === 0 ? '' : `, and ${count(orphans, 'file')} of incomplete submissions`;
  const younger = isOfForms
    ? `left newer submissions of ${count(kept, 'form')}`
    : `left ${count(kept, 'day')} of newer submissions`;
  return `${removed}${unfinished}\n${younger}\n`;
}
