import type { RelayRequest } from '../../base/http.ts';

/**
 * The stage, or the path that a custom domain maps to the API: what stands before the relay's own paths, also when a
 * form is called `healthz`. Forms are sent below it, so no link may choose it freely: `//evil.example` or a backslash
 * would be another host.
 */
const mountPath =
  /^(?:\/[\w.~%$+!*'()-]+)+?(?=\/api\/v1(?:\/|$)|(?<!\/api\/v1\/(?:submit|check|form|token|confirm))\/(?:healthz|readyz)$)/;

/** A path in two: what the relay is mounted below, and its own. */
export function splitPath(path: string): Required<Pick<RelayRequest, 'mountPath' | 'path'>> {
  const [before = ''] = mountPath.exec(path) ?? [];
  // HTTP APIs decode the path, all others do not: a `%` that starts no escape was one.
  return { mountPath: before, path: path.slice(before.length).replaceAll(/%(?![0-9a-f]{2})/gi, '%25') };
}

/** The same where an HTTP API puts its stage in front, also for a custom domain, which leads to the stage without naming it. */
export function splitStagePath(
  path: string,
  stage: string,
  host = '',
): Required<Pick<RelayRequest, 'mountPath' | 'path' | 'isMountSure'>> {
  const split = splitPath(path);
  const isMountSure = split.mountPath === `/${stage}`;
  const isUnseen = isMountSure && !host.includes('.execute-api.');
  return { ...split, mountPath: isUnseen ? '' : split.mountPath, isMountSure };
}
