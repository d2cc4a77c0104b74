import type { Services, Settings } from '@form-relay/core/index';
import type { OpenStore } from './store.ts';

export const storeOpener = (services: Services, { uploadBudget: mostKept }: Settings): OpenStore =>
  services.openStore ??
  (async (keep) => (await import('./stores/index.ts')).openStore(keep, { ...services, mostKept }));
