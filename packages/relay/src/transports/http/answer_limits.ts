/** How much of an answer is read: more costs CPU and memory, and says nothing (D42). */

/** How many 1xx answers may come before the one that counts. */
export const mostInterim = 16;

/** How much of an answer's body is read. The rest is cut off, with the connection. */
export const bodyLimitBytes = 65_536;

/** A status line and its headers. */
export const headLimitBytes = 32_768;

/**
 * 1xx answers, status line, headers, and what surrounds the chunks of a body: as much as a body of 64 KB needs in chunks of
 * one byte each.
 */
export const framingLimitBytes = 458_752;
