/** The units of the catalogue. `npm run generate` writes this file. */
import type { MakePlugin } from '@form-relay/plugin-host/kit';

export const catalogue: Readonly<Record<string, () => Promise<{ readonly default: MakePlugin }>>> = {
  zulip: () => import('@form-relay/catalogue/zulip'),
};
