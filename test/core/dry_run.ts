/** The dry run of packages/dry-run, for tests that begin with a config's text. */

import type { Services } from '../../packages/core/src/services.ts';
import { createDryRun as create, type DryRunOptions } from '../../packages/dry-run/src/dry_run.ts';
import type { SubmissionReport } from '../../packages/dry-run/src/report.ts';

export { botToken, humanToken } from '../../packages/dry-run/src/dry_run.ts';
export type { Sent, SubmissionReport as Story } from '../../packages/dry-run/src/report.ts';
export type { DryRunOptions };

interface Options extends Omit<DryRunOptions, 'onReport'> {
  readonly effects?: Partial<Services>;
  readonly onStory: (story: SubmissionReport) => void;
}

export const createDryRun = ({ effects, onStory, env = {}, ...options }: Options) =>
  create({ env, ...options, ...(effects && { services: effects }), onReport: onStory });
