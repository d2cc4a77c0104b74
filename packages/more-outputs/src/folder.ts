import type { Plugin } from '@form-relay/core/index';
import { name, outputExtension, outputType, required } from '@form-relay/core/kit';
import { entriesOf, keepsFile, sealForOf, sealKeys, sealProblems, untemplated } from './archive.ts';
import { type Entry, segmentOf } from './archive_layout.ts';
import type { ArchiveObject } from './store_entry.ts';

type StoreFile = (file: {
  readonly folder: string;
  readonly object: ArchiveObject;
  readonly timeoutMs: number;
}) => Promise<void>;

declare module '@form-relay/core/services' {
  interface Services {
    /** Stores the files of archives, in the place of the disk. */
    readonly storeFile?: StoreFile;
  }
}

const onDisk =
  (store: StoreFile) =>
  (folder: string, object: ArchiveObject, timeoutMs: number): Promise<void> =>
    store({ folder, object, timeoutMs });

const folder = outputType({
  type: 'folder',
  summary:
    'Keeps each submission in a folder: a JSON document and its files, of all fields or of what `mapping` names.',
  keys: {
    path: required(
      'The folder, which must be there: absolute, or from the folder in which the relay is started. Never templated.',
      untemplated(name()),
    ),
    ...sealKeys,
  },
  isArchive: true,
  problems: sealProblems,
  sendsOfItself: () => true,
  open: (output, { services, form }) => {
    const { path } = output;
    const entryOf = entriesOf(output, form);
    const sealFor = sealForOf(output);
    const store = async (entry: Entry, timeoutMs: number) => {
      // With the first entry, for the sake of cold starts.
      const [{ storeEntry }, { storeFile }] = await Promise.all([
        import('./store_entry.ts'),
        services.storeFile ? { storeFile: onDisk(services.storeFile) } : import('./store_file.ts'),
      ]);
      await storeEntry(entry, sealFor, timeoutMs, services, async (object, timeoutMs) => {
        if (services.storeFile || !services.isDryRun) await storeFile(path, object, timeoutMs);
      });
    };
    return {
      protocol: 'folder',
      host: path,
      target: path,
      takesFile: keepsFile(output),
      send: async (delivery, timeoutMs) => {
        await store(entryOf(delivery), timeoutMs);
        return undefined;
      },
      rejected: {
        store: (delivery, rejection, timeoutMs) => store(entryOf(delivery, rejection), timeoutMs),
        removeOld: async (formId, before, now) =>
          (await import('./remove_rejected.ts')).removeRejected(path, formId, before, now),
      },
    };
  },
});

/** File systems' limit for a name. */
const maxNameBytes = 255;

/** The form names a folder in the archive. */
const nameLength = outputExtension({
  name: 'folder_name',
  types: ['folder'],
  keys: {},
  configure: ({ formId }, at) =>
    segmentOf(formId).length > maxNameBytes
      ? at
          .in('type')
          .error(
            'the name of this form is too long to name a folder, in which each letter beyond a to z takes 6 bytes or more; shorten it',
          )
      : undefined,
});

export const plugin: Plugin = { name: 'folder', outputs: [folder], outputExtensions: [nameLength] };
