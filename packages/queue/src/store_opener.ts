import type { Services, Settings } from '@form-relay/core/index';
import type { OpenStore } from './store.ts';

export const storeOpener = (
  { openStore, env, now, aws, binding }: Services,
  { uploadBudget }: Pick<Settings, 'uploadBudget'>,
): OpenStore =>
  openStore ??
  (async (keep) =>
    (await import('./stores/index.ts')).openStore(keep, {
      readEnv: env,
      now,
      aws,
      mostKept: uploadBudget,
      binding,
    }));
