/** `92.4 %` of a share. */
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;
