import type { Archived, SealFor } from '../archive/archive_message.ts';
import type { AnyMessage, AnyTarget } from '../transport.ts';

/** One entry for an archive in a folder. */
export interface FolderMessage extends AnyMessage, Archived {
  readonly via: 'folder';
  /** The archive's folder: absolute, or from the one in which the relay was started. */
  readonly folder: string;
}

export interface FolderTarget extends AnyTarget {
  readonly via: 'folder';
  readonly folder: string;
  readonly sealFor: SealFor | undefined;
}

export const folderTarget = (target: Omit<FolderTarget, 'via' | 'name'>): FolderTarget => ({
  ...target,
  via: 'folder',
  name: target.folder,
});
