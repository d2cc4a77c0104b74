import { outputExtension } from '@form-relay/core/extensions';
import type { Plugin } from '@form-relay/core/index';
import { outputType } from '@form-relay/core/outputs/output';
import { name, storagePlace } from '@form-relay/schema/scalars';
import { checked, required } from '@form-relay/schema/schema';
import { archiving } from './archive.ts';
import { segmentOf } from './archive_layout.ts';
import type { ArchiveObject } from './store_entry.ts';

declare module '@form-relay/core/services' {
  interface Services {
    /** Stores the files of archives, instead of the disk. */
    readonly storeFile?: (file: {
      readonly folder: string;
      readonly object: ArchiveObject;
      readonly timeoutMs: number;
    }) => Promise<void>;
  }
}

const folder = outputType({
  type: 'folder',
  summary:
    'Stores each submission in a folder: a JSON document of all fields, or those in `mapping`, and its files.',
  keys: {
    path: required(
      'An existing folder (`/srv/forms`): an absolute path, or one relative to the working directory. Never templated.',
      checked(name(), storagePlace),
    ),
  },
  isArchive: true,
  sendsOfItself: () => true,
  open: (output, context) => {
    const { path } = output;
    const { storeFile, isDryRun } = context.services;
    return {
      protocol: 'folder',
      host: path,
      target: path,
      probe: async (call) => (await import('./archive_probes.ts')).probeFolder(path, call),
      ...archiving(output, context, async () => {
        if (storeFile) return (object, timeoutMs) => storeFile({ folder: path, object, timeoutMs });
        if (isDryRun) return async () => {};
        const onDisk = await import('./store_file.ts');
        return (object, timeoutMs) => onDisk.storeFile(path, object, timeoutMs);
      }),
    };
  },
});

const maxNameBytes = 255;

/** The form's name is also the name of a folder in the archive. */
const nameLength = outputExtension({
  name: 'folder_name',
  types: ['folder'],
  keys: {},
  configure: ({ formId }, at) =>
    segmentOf(formId).length > maxNameBytes
      ? at
          .in('type')
          .error(
            "this form's name is too long for a folder name, where each character other than a to z takes 6 bytes or more; shorten it",
          )
      : undefined,
});

export const plugin: Plugin = { name: 'folder', outputs: [folder], outputExtensions: [nameLength] };
