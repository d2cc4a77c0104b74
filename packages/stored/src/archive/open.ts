import type { Archive } from './archive.ts';
import { archiveInBucket } from './in_bucket.ts';
import { archiveInFolder } from './in_folder.ts';

export const isBucket = (place: string): boolean => place.startsWith('s3://');

/** @param place A folder, or `s3://BUCKET/PREFIX`. */
export const openArchive = (place: string): Archive =>
  isBucket(place) ? archiveInBucket(place) : archiveInFolder(place);
