import type { RelayRequest } from '../http.ts';

/** Who sends a request, as an IP address; `undefined` when nobody can know. */
export const clientOf = ({ senderAddress, peerAddress }: RelayRequest): string | undefined =>
  senderAddress ?? peerAddress;
