/**
 * The header with the number of relays through which a submission came. Two relays can post to each other, or a receiver
 * can redirect a post back to its relay; nothing else would end that. Not `Via` or `CDN-Loop`, which proxies and CDNs
 * write and act on.
 */
export const hopsHeader = 'form-relay-hops';

/** A post that made this many is rejected. */
export const mostHops = 3;

/** Where a proxy joined several, the largest counts. Anything but numbers counts as none. */
export const hopsIn = (header: string | undefined): number =>
  header === undefined ? 0 : Math.max(0, ...(header.match(/\d{1,3}/g) ?? []).map(Number));
