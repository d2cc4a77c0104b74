/** Lets requests that wait have their turn, in the middle of work that takes long. */
export const othersTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
