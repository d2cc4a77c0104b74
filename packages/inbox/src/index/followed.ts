/** An archive that is read and followed. */
export interface Followed {
  /** Each look is a request that is paid for. */
  readonly isPaidFor: boolean;
  /** How many documents may have to be read. */
  count?(): number;
  catchUp(): Promise<void>;
  poll(): Promise<void>;
  refresh(id: string): Promise<void>;
  read(path: string): Promise<Uint8Array | string>;
}
