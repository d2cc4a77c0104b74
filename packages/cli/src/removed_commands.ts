/** Commands that an earlier version had, by what was typed. */
const removed: Readonly<Record<string, string>> = {
  completion: 'removed in 0.2.0, because it was hardly used; relay help lists every command',
  conformance: 'removed in 0.2.0, because it is a test suite; run test/promises from the repository',
  mails:
    'removed in 0.2.0, because mail providers show and report bounces themselves; see your provider’s list',
  'config build':
    'removed in 0.2.0, because a built config could differ from its YAML; deploy the YAML itself',
  key: 'removed in 0.2.0, because archives are not sealed any more; see Encryption in docs/archive.md',
  'webhook verify':
    'removed in 0.2.0, because libraries of Standard Webhooks verify signatures; use one, or a receiver of docs/verifying.md',
  'rules replay':
    'removed in 0.2.0, because it was hardly used; set doubt: observe, and read in the inbox or the log what it would have done',
};

/** Says since when a command is gone; `undefined` if there never was such a command. */
export const removedCommand = (path: string): string | undefined =>
  Object.hasOwn(removed, path) ? `error: relay ${path} was ${removed[path]}` : undefined;
