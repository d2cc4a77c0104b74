/** How a delivery stands when its submission is answered. */
export interface Stands {
  readonly outcome: 'delivered' | 'failed' | 'kept' | 'skipped';
}

/** Nobody has it yet: nothing may say to its owner that it was delivered, as its visitor reads (D69). */
export const isOnlyKept = (deliveries: readonly Stands[]): boolean =>
  deliveries.some(({ outcome }) => outcome === 'kept') &&
  deliveries.every(({ outcome }) => outcome === 'kept' || outcome === 'skipped');
