/** The longest config that is read. One with 10,000 forms has 11 MB. */
export const maxConfigBytes = 16 * 1_048_576;
