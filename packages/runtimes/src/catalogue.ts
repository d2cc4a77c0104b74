/** The units of the catalogue. `npm run generate` writes this file. */
import type { MakePlugin } from '@form-relay/plugin-host/kit';

export const catalogue: Readonly<Record<string, () => Promise<{ readonly default: MakePlugin }>>> = {
  akismet: () => import('@form-relay/catalogue/akismet'),
  computed: () => import('@form-relay/catalogue/computed'),
  discord: () => import('@form-relay/catalogue/discord'),
  google_chat: () => import('@form-relay/catalogue/google_chat'),
  gotify: () => import('@form-relay/catalogue/gotify'),
  matrix: () => import('@form-relay/catalogue/matrix'),
  mattermost: () => import('@form-relay/catalogue/mattermost'),
  month: () => import('@form-relay/catalogue/month'),
  ntfy: () => import('@form-relay/catalogue/ntfy'),
  payment: () => import('@form-relay/catalogue/payment'),
  picture: () => import('@form-relay/catalogue/picture'),
  pushover: () => import('@form-relay/catalogue/pushover'),
  ranking: () => import('@form-relay/catalogue/ranking'),
  rocket_chat: () => import('@form-relay/catalogue/rocket_chat'),
  scan: () => import('@form-relay/catalogue/scan'),
  seal: () => import('@form-relay/catalogue/seal'),
  search: () => import('@form-relay/catalogue/search'),
  signature: () => import('@form-relay/catalogue/signature'),
  stopforumspam: () => import('@form-relay/catalogue/stopforumspam'),
  teams: () => import('@form-relay/catalogue/teams'),
  telegram: () => import('@form-relay/catalogue/telegram'),
  webex: () => import('@form-relay/catalogue/webex'),
  zulip: () => import('@form-relay/catalogue/zulip'),
};
