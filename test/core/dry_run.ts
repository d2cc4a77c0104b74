/** The dry run of apps/studio, for tests that begin with a config's text. */

import { createDryRun as create, type DryRunOptions } from '../../apps/studio/src/dry_run/dry_run.ts';
import type { SubmissionReport } from '../../apps/studio/src/dry_run/report.ts';
import type { Services } from '../../packages/core/src/services.ts';

export { botToken, humanToken } from '../../apps/studio/src/dry_run/printing.ts';
export type { Sent, SubmissionReport as Story } from '../../apps/studio/src/dry_run/report.ts';
export type { DryRunOptions };

interface Options extends Omit<DryRunOptions, 'onReport'> {
  readonly effects?: Partial<Services>;
  readonly onStory: (story: SubmissionReport) => void;
}

export const createDryRun = ({ effects, onStory, env = {}, ...options }: Options) =>
  create({ env, ...options, ...(effects && { services: effects }), onReport: onStory });
