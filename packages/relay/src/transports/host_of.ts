import type { Target } from './index.ts';

/** What is down together when it is down, in words: a host, a service, a disk; of an address in a variable, its name. */
export function hostOf(target: Target): string {
  switch (target.via) {
    case 'http':
      return 'env' in target.address ? target.address.env : target.address.hostname;
    case 'smtp':
      return target.host;
    case 'ses':
      return 'Amazon SES';
    case 's3':
      return 'Amazon S3';
    case 'folder':
      return target.folder;
  }
}
