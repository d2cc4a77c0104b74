import { decodeSegment } from '../url.ts';

/** Each route with the one method that it is for, besides OPTIONS; GET means HEAD too. */
export const methods = { submit: 'POST', form: 'GET', token: 'GET' } as const;

/** What a path leads to. */
export interface Target {
  readonly route: keyof typeof methods;
  /** Empty when the path ends before it; `undefined` when it cannot be decoded, so that it names no form. */
  readonly formId: string | undefined;
}

/** `undefined` when the path leads nowhere. */
export function targetOf(path: string): Target | undefined {
  const [, route, segment = ''] = /^\/api\/v1\/(submit|form|token)(?:\/([^/]*))?$/.exec(path) ?? [];
  return route === undefined
    ? undefined
    : { route: route as Target['route'], formId: decodeSegment(segment) };
}
