/** How much of an answer is read beside its body, which has a limit of its own: the rest costs CPU, and says nothing. */

/** How many 1xx answers may come before the one that counts. */
export const mostInterim = 16;

/**
 * 1xx answers, status line, headers, and what surrounds the chunks of a body: as much as a body of 64 KB needs in chunks of
 * one byte each.
 */
export const framingLimitBytes = 458_752;
