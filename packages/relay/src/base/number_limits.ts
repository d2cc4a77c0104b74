export interface NumberLimits {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  readonly whole?: boolean | undefined;
}

/** Such as `whole number from 1 to 5`. */
export function numberWithin({ least, most, whole }: NumberLimits): string {
  const range =
    least === undefined ? '' : most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`;
  return `${whole ? 'whole ' : ''}number${range}`;
}
