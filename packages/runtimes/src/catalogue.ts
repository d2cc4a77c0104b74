/** The units of the catalogue. `npm run generate` writes this file. */
import type { MakePlugin } from '@form-relay/plugin-host/kit';

export const catalogue: Readonly<Record<string, () => Promise<{ readonly default: MakePlugin }>>> = {
  akismet: () => import('@form-relay/catalogue/akismet'),
  month: () => import('@form-relay/catalogue/month'),
  ranking: () => import('@form-relay/catalogue/ranking'),
  scan: () => import('@form-relay/catalogue/scan'),
  signature: () => import('@form-relay/catalogue/signature'),
  stopforumspam: () => import('@form-relay/catalogue/stopforumspam'),
  zulip: () => import('@form-relay/catalogue/zulip'),
};
