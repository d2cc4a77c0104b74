/** The state that a client's requests share. */
export interface Traffic {
  /** How many requests wait for their answer. */
  underWay: number;
  isClosed: boolean;
  /** Called when the last one has ended. */
  onIdle(): void;
}

export const createTraffic = (): Traffic => ({ underWay: 0, isClosed: false, onIdle: () => {} });

export function leave(traffic: Traffic): void {
  traffic.underWay -= 1;
  if (traffic.underWay === 0) traffic.onIdle();
}

/** Takes no more requests, and resolves when those under way have ended. */
export async function drain(traffic: Traffic): Promise<void> {
  traffic.isClosed = true;
  if (traffic.underWay > 0) await new Promise<void>((resolve) => (traffic.onIdle = resolve));
}
