import type { Effects, PutObject, StoreFile } from '../../base/effects.ts';
import type { Aws } from '../aws/account.ts';

/** What writes into folders and buckets, each of which is loaded when it writes for the first time. */
export function lateArchives(aws: Aws): Pick<Effects, 'storeFile' | 'putObject'> {
  let folders: Promise<StoreFile> | undefined;
  let buckets: Promise<PutObject> | undefined;
  const loadFolders = async () => (await import('../folder/store_file.ts')).createStoreFile();
  const loadBuckets = async () => (await import('../s3/put_object.ts')).createPutObject(aws);
  return {
    storeFile: async (file) => {
      folders ??= loadFolders();
      return (await folders)(file);
    },
    putObject: async (put) => {
      buckets ??= loadBuckets();
      return (await buckets)(put);
    },
  };
}
