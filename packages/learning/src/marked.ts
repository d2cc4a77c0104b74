/** A message that its owner marked. */
export interface Marked {
  /** Names it to its owner. */
  readonly id: string;
  /** What was typed into its fields. */
  readonly texts: readonly string[];
  readonly isSpam: boolean;
  /** When it came, in milliseconds since the epoch; 0 if nobody knows. */
  readonly at: number;
}
