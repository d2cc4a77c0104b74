/** Kinds of values that several commands take. */
import { parseUrl } from '@form-relay/base/url';
import { textSchema } from '@form-relay/schema/scalars';

/** The relay's own address, as visitors' browsers reach it. */
export const relayAddress = textSchema((text, at) => {
  if (!/^https?:\/\/[^/]/.test(text) || !parseUrl(text))
    return at.error('Expected an address such as https://forms.example.com.');
  return /\/api\/v1(\/|$)/.test(new URL(text).pathname)
    ? at.error('Expected it without /api/v1, which the relay adds itself.')
    : text;
});

export const portNumber = textSchema((text, at) => {
  const port = Number(text);
  return !/^\d+$/.test(text) || port > 65_535 ? at.error('Expected a port from 0 to 65535.') : port;
});
