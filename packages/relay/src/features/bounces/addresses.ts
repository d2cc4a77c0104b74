/** Keyed hashes of addresses. */
import { createHmac } from 'node:crypto';
import { sameAddress } from '../../base/same_address.ts';

/** 80 bits, in hexadecimal. */
export const hashLength = 20;

/** A key of their own, so that nothing that the secret signs elsewhere says anything about them. */
const keyOf = (secret: string): Buffer =>
  createHmac('sha256', secret).update('form-relay bounces addresses').digest();

/** Only whoever has the secret can try addresses. */
export const hashOf = (secret: string, address: string): string =>
  createHmac('sha256', keyOf(secret)).update(sameAddress(address)).digest('hex').slice(0, hashLength);
