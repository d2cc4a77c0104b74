/** Commands that an earlier version had, by what was typed. */
import { type Removed, sayRemoved } from '@form-relay/relay/schema';

const removed: Readonly<Record<string, Removed>> = {
  completion: {
    since: '0.2.0',
    why: 'it was hardly used',
    instead: 'relay help lists every command',
  },
  conformance: {
    since: '0.2.0',
    why: 'it is a test suite',
    instead: 'run test/promises from the repository',
  },
  'config build': {
    since: '0.2.0',
    why: 'a built config could differ from its YAML',
    instead: 'deploy the YAML itself',
  },
  'rules replay': {
    since: '0.2.0',
    why: 'it was hardly used',
    instead: 'set doubt: observe, and read in the inbox or the log what it would have done',
  },
};

/** Says since when a command is gone; `undefined` if there never was such a command. */
export const removedCommand = (path: string): string | undefined =>
  Object.hasOwn(removed, path)
    ? `error: relay ${path} was ${sayRemoved(removed[path] as Removed)}`
    : undefined;
