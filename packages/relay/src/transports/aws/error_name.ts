import type { NodeAnswer } from '../http/node_client.ts';

/**
 * What AWS calls an error: in a header, in JSON, or (S3) in XML. The texts beside it may hold a visitor's address and
 * are left out. Empty when there is none.
 */
export function errorName({ headers, body }: NodeAnswer): string {
  const inBody = /"__type"\s*:\s*"([^"]*)"|<Code>([^<]*)<\/Code>/;
  const [, json, xml] = inBody.exec(body.toString('utf8', 0, 65_536)) ?? [];
  const stated = headers['x-amzn-errortype'] ?? json ?? xml ?? '';
  // `com.amazonaws.sesv2#MessageRejected`, `MessageRejected:http://…`
  return /^(?:[\w.]+#)?([A-Za-z]{1,60})(?::|$)/.exec(stated)?.[1] ?? '';
}
