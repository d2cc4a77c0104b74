import { vi } from 'vitest';

const { waitFor } = vi;
const isPatient = Symbol.for('waits for busy machines');

// Vitest has no setting for the time limit, and 1 s is too short for a busy machine. Files of a worker share `vi`.
if (!(isPatient in vi))
  Object.assign(vi, {
    [isPatient]: true,
    waitFor: ((callback, options) => {
      const given = typeof options === 'object' ? options : {};
      return waitFor(callback, { timeout: 60_000, ...given });
    }) satisfies typeof waitFor,
  });
